#!/usr/bin/env bash
# Runs the stages of `make demo` and `make test`, and notes how long each one takes.
#
#   stage.sh begin RUN             begins a run, such as `test`
#   stage.sh RUN NAME COMMAND...   runs a stage
#   stage.sh end RUN               prints the table of the run
#
# The table is in target/stages/RUN.tsv: name, seconds, seconds of CPU, size of target in MB. Stages may run at the same time, so
# the last row has the time of the whole run.
set -euo pipefail
folder=target/stages
# How the runners of Rust, Python, CTest and GoogleTest, and make, write a failure.
failures='^test .* FAILED$|panicked at|^(FAILED|ERROR) |^error|\*\*\*(Failed|Exception|Timeout)|^\[  FAILED  \]|^make.*\*\*\*'
mkdir -p "$folder"
case $1 in
begin)
    printf 'stage\tseconds\tCPU seconds\ttarget MB\n' >"$folder/$2.tsv"
    date +%s >"$folder/$2.begin"
    ;;
end)
    wall=$(($(date +%s) - $(cat "$folder/$2.begin")))
    all=$(awk -F'\t' -v wall="$wall" 'NR > 1 { cpu += $3; if ($4 > disk) disk = $4 }
        END { printf "all\t%d\t%d\t%d", wall, cpu, disk }' "$folder/$2.tsv")
    echo "$all" >>"$folder/$2.tsv"
    awk -F'\t' '{ printf "%-28s %9s %12s %10s\n", $1, $2, $3, $4 }' "$folder/$2.tsv"
    ;;
*)
    run=$1 name=$2
    shift 2
    echo "--- $name"
    begin=$(date +%s.%N)
    status=0
    trap 'rm -f "$folder/time.$$" "$folder/output.$$"' EXIT
    TIMEFORMAT='%U %S'
    exec 3> >(exec tee -i "$folder/output.$$")
    { time "$@" >&3 2>&3 3>&-; } 2>"$folder/time.$$" || status=$?
    end=$(date +%s.%N)
    exec 3>&-
    timeout 10 tail --pid=$! -f /dev/null || echo "WARNING: a process of the stage \"$name\" still runs"
    read -r user system < <(tail -n 1 "$folder/time.$$")
    if [ "$status" != 0 ]; then
        # The log of a stage is long. What failed in it is said again where it is seen.
        echo "--- $name failed:"
        # What the shell says of a command that a signal has ended is before the times.
        head -n -1 "$folder/time.$$"
        grep -aE -A 3 "$failures" "$folder/output.$$" | tail -n 80 || true
    fi
    awk -v name="$name" -v begin="$begin" -v end="$end" -v user="$user" -v sys="$system" \
        -v disk="$(du -sm target | cut -f1)" \
        'BEGIN { printf "%s\t%.0f\t%.0f\t%d\n", name, end - begin, user + sys, disk }' >>"$folder/$run.tsv"
    tail -n 1 "$folder/$run.tsv" | awk -F'\t' '{ printf "--- %s: %s s, %s s of CPU, target has %s MB\n", $1, $2, $3, $4 }'
    exit "$status"
    ;;
esac
