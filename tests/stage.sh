#!/usr/bin/env bash
# Runs the stages of `make demo` and `make test`, and notes how long each one takes.
#
#   stage.sh begin RUN             begins a run, such as `test`
#   stage.sh RUN NAME COMMAND...   runs a stage
#   stage.sh end RUN               prints the table of the run
#
# The table is in target/stages/RUN.tsv: name, seconds, seconds of CPU, size of target in MB.
set -euo pipefail
folder=target/stages
mkdir -p "$folder"
case $1 in
begin)
    printf 'stage\tseconds\tCPU seconds\ttarget MB\n' >"$folder/$2.tsv"
    ;;
end)
    awk -F'\t' '{ printf "%-28s %9s %12s %10s\n", $1, $2, $3, $4 }
        NR > 1 { wall += $2; cpu += $3; if ($4 > disk) disk = $4 }
        END { printf "%-28s %9d %12d %10d\n", "all", wall, cpu, disk }' "$folder/$2.tsv"
    ;;
*)
    run=$1 name=$2
    shift 2
    echo "--- $name"
    begin=$(date +%s.%N)
    status=0
    TIMEFORMAT='%U %S'
    { time "$@" 2>&3 >&4; } 3>&2 4>&1 2>"$folder/time.$$" || status=$?
    read -r user system <"$folder/time.$$"
    rm -f "$folder/time.$$"
    awk -v name="$name" -v begin="$begin" -v end="$(date +%s.%N)" -v user="$user" -v sys="$system" \
        -v disk="$(du -sm target | cut -f1)" \
        'BEGIN { printf "%s\t%.0f\t%.0f\t%d\n", name, end - begin, user + sys, disk }' >>"$folder/$run.tsv"
    tail -n 1 "$folder/$run.tsv" | awk -F'\t' '{ printf "--- %s: %s s, %s s of CPU, target has %s MB\n", $1, $2, $3, $4 }'
    exit "$status"
    ;;
esac
