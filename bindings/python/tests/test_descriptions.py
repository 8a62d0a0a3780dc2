"""Descriptions with macros: the command expands them with the package ``xacro``."""

import os
import pathlib
import subprocess
import sys

import pytest

COMMAND = pathlib.Path(sys.executable).with_name("saltus")

CART = """<robot name="cart" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="wheels" default="2"/>
  <xacro:property name="radius" value="0.1"/>
  <xacro:macro name="wheel" params="number">
    <link name="wheel_${number}"/>
    <joint name="axle_${number}" type="continuous">
      <parent link="base"/><child link="wheel_${number}"/>
      <origin xyz="0 ${number * 2} ${radius / 2}"/><axis xyz="0 1 0"/>
    </joint>
  </xacro:macro>
  <xacro:macro name="all" params="count">
    <xacro:if value="${count > 0}">
      <xacro:wheel number="${count}"/>
      <xacro:all count="${count - 1}"/>
    </xacro:if>
  </xacro:macro>
  <link name="base"/>
  <xacro:all count="$(arg wheels)"/>
</robot>
"""


def check(file, *arguments, **variables):
    environment = {**os.environ, **variables, "PATH": os.pathsep.join([str(COMMAND.parent), os.environ["PATH"]])}
    words = [COMMAND, "description", "check", file, *arguments]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)


def test_macros_are_expanded(tmp_path):
    file = tmp_path / "cart.urdf.xacro"
    file.write_text(CART)
    done = check(file)
    assert done.stdout.splitlines()[2:] == [
        "root Link: base has 2 child(ren)",
        "    child(1):  wheel_2",
        "    child(2):  wheel_1",
    ], done.stderr
    assert check(file, "wheels:=3").stdout.count("child(3):") == 1


def test_an_error_of_a_macro_is_shown(tmp_path):
    file = tmp_path / "cart.urdf.xacro"
    file.write_text(CART.replace("${radius / 2}", "${diameter}"))
    done = check(file)
    assert done.returncode == 1
    assert done.stderr.startswith(f"saltus: xacro can't expand {file}:\n"), done.stderr
    assert "name 'diameter' is not defined" in done.stderr


@pytest.mark.parametrize("variable", ["SALTUS_PREFIX_PATH", "AMENT_PREFIX_PATH"])
def test_a_file_of_a_package_is_found(tmp_path, variable):
    share = tmp_path / "prefix/share"
    (share / "ament_index/resource_index/packages").mkdir(parents=True)
    (share / "ament_index/resource_index/packages/parts").touch()
    (share / "parts/urdf").mkdir(parents=True)
    (share / "parts/urdf/arm.xacro").write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="arm"><link name="arm"/></xacro:macro></robot>'
    )
    file = tmp_path / "cart.urdf.xacro"
    file.write_text(
        '<robot name="cart" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(find parts)/urdf/arm.xacro"/><xacro:arm/></robot>'
    )
    done = check(file, **{variable: str(tmp_path / "prefix")})
    assert "root Link: arm" in done.stdout, done.stdout + done.stderr
    unknown = check(file, **{variable: str(tmp_path)})
    assert unknown.returncode == 1 and "parts" in unknown.stderr, unknown.stderr
