# Reading package.xml.

prefixes=$saltus

# Makes a project that only reads package.xml, whose text is standard input. Argument: name of the project.
xml_project() {
  mkdir -p "$work/src/$1"
  cat > "$work/src/$1/package.xml"
  printf 'cmake_minimum_required(VERSION 3.16)\nproject(%s NONE)\nfind_package(ament_cmake REQUIRED)\n%s\n' "$1" \
    'ament_package()
foreach(key IN ITEMS VERSION MAINTAINER BUILD_DEPENDS BUILDTOOL_DEPENDS BUILD_EXPORT_DEPENDS BUILDTOOL_EXPORT_DEPENDS
    EXEC_DEPENDS TEST_DEPENDS DOC_DEPENDS GROUP_DEPENDS MEMBER_OF_GROUPS DEPRECATED EXPORT_TAGS)
  file(APPEND "${CMAKE_BINARY_DIR}/found.txt" "${key}=${${PROJECT_NAME}_${key}}\n")
endforeach()' > "$work/src/$1/CMakeLists.txt"
}

full_package_xml() {
  xml_project full <<'END'
<?xml version="1.0"?>
<?xml-model href="http://a/b>c"?>
<!DOCTYPE package>
<!-- <name>not this</name> -- and a > and a < -->
<package format="3"
  xmlns:xsi="http://example.com">
  <name>full<!-- inside --></name>
  <version compatibility="1.0.0">1.20.3</version>
  <description>Text &lt;b&gt; &amp; [brackets] ] ; <b>bold</b> $ENV{HOME} ${x} \n <![CDATA[<raw> & ]]></description>
  <maintainer email='a"b@example.com'>Ann &#233; &#x20AC;</maintainer>
  <maintainer email="b@example.com">Bob</maintainer>
  <author>Eve</author>
  <license file="LICENSE">Apache-2.0</license>
  <url type="website">http://example.com/?a=1&amp;b=2</url>
  <depend version_gte="1.0">all</depend>
  <depend>all</depend>
  <build_depend condition="'a > b' == 'a > b'">build</build_depend>
  <buildtool_depend>
    tool
  </buildtool_depend>
  <build_export_depend>build_export</build_export_depend>
  <buildtool_export_depend>tool_export</buildtool_export_depend>
  <exec_depend>exec</exec_depend>
  <test_depend>test</test_depend>
  <doc_depend>doc</doc_depend>
  <run_depend>run</run_depend>
  <group_depend>wanted_group</group_depend>
  <member_of_group>rosidl_interface_packages</member_of_group>
  <conflict>enemy</conflict>
  <export>
    <build_type condition="$ROS_VERSION == 1">catkin</build_type>
    <build_type condition="$ROS_VERSION == 2">ament_cmake</build_type>
    <deprecated>use "other"</deprecated>
    <gazebo_ros plugin_path="${prefix}/lib" value="a;b"/>
    <nested><name>no name</name></nested>
  </export>
</package>
<!-- after -->
END
  configure full
  cat > "$work/expected" <<'END'
VERSION=1.20.3
MAINTAINER=Ann é € <a"b@example.com>, Bob <b@example.com>
BUILD_DEPENDS=all;build
BUILDTOOL_DEPENDS=tool
BUILD_EXPORT_DEPENDS=all;build_export;run
BUILDTOOL_EXPORT_DEPENDS=tool_export
EXEC_DEPENDS=all;exec;run
TEST_DEPENDS=test
DOC_DEPENDS=doc
GROUP_DEPENDS=wanted_group
MEMBER_OF_GROUPS=rosidl_interface_packages
DEPRECATED=use "other"
EXPORT_TAGS=<build_type condition="$ROS_VERSION == 2">ament_cmake</build_type>
<deprecated>use "other"</deprecated>
<gazebo_ros plugin_path="${prefix}/lib" value="a\;b"/>
<nested/>
END
  sed -i 's/>;</>\n</g' "$work/build/full/found.txt"
  diff "$work/expected" "$work/build/full/found.txt"
}
run_case full_package_xml "package.xml: all elements, comments, quotes, entities, CDATA, conditions"

byte_order_mark_and_crlf() {
  {
    printf '\357\273\277<?xml version="1.0"?>\r\n<package format="2">\r\n<name>crlf</name>\r\n'
    printf '<version>\r\n1.0.0\r\n</version>\r\n<depend>one</depend>\r\n</package>\r\n'
  } | xml_project crlf
  configure crlf
  contains "$work/build/crlf/found.txt" "VERSION=1.0.0"
  contains "$work/build/crlf/found.txt" "EXEC_DEPENDS=one"
}
run_case byte_order_mark_and_crlf "package.xml: a byte order mark and lines of Windows"

# Evaluates a condition with the environment of the call. Arguments: TRUE, FALSE or ERROR; the condition, for XML.
condition() {
  printf '<package><name>condition</name><version>1.0.0</version><depend condition="%s">yes</depend></package>' "$2" |
    xml_project condition
  if [ "$1" = ERROR ]; then
    fails_again_with "is malformed" condition
    return
  fi
  rm -f "$work/build/condition/found.txt"
  configure_again condition > /dev/null
  found=$(sed -n 's/^BUILD_DEPENDS=//p' "$work/build/condition/found.txt")
  case "$1" in TRUE) equal "$2" yes "$found" ;; FALSE) equal "$2" "" "$found" ;; esac
}

conditions() {
  condition TRUE ''
  condition TRUE '$ROS_VERSION == 2'
  condition FALSE '$ROS_VERSION == 1'
  condition TRUE '$ROS_VERSION != 1'
  condition TRUE '$ROS_DISTRO == jazzy and $ROS_PYTHON_VERSION == 3'
  condition TRUE "\$ROS_DISTRO &gt;= 'humble'"
  condition FALSE '$ROS_DISTRO &lt; humble'
  condition TRUE '$ROS_DISTRO &lt;= jazzy'
  condition TRUE '$ROS_DISTRO > humble'
  condition FALSE '$ROS_DISTRO > jazzy'
  condition TRUE '$NO_SUCH_VARIABLE == &quot;&quot;'
  condition TRUE '$ROS_VERSION == 1 or $ROS_VERSION == 2'
  condition FALSE '$ROS_VERSION == 2 and ($ROS_DISTRO == a or $ROS_DISTRO == b)'
  condition TRUE '(($ROS_VERSION == 2) and (a == a or b == a)) and (((a == a)))'
  condition TRUE 'a == a or a == b and a == b'
  condition FALSE '(a == a or a == b) and a == b'
  condition TRUE 'a==a and b!=a'
  condition TRUE "'and' == 'and'"
}
run_case conditions "package.xml: conditions with the defaults for Jazzy"

conditions_from_environment() {
  export ROS_DISTRO=foxy ROS_VERSION=1 ROS_PYTHON_VERSION=2 SOME_VALUE="a b"
  condition TRUE '$ROS_DISTRO == foxy and $ROS_VERSION == 1'
  condition FALSE '$ROS_PYTHON_VERSION == 3'
  condition TRUE "\$SOME_VALUE == 'a b'"
}
run_case conditions_from_environment "package.xml: conditions with variables of the environment"

malformed_conditions() {
  for text in '$ROS_VERSION' '== 2' '$ROS_VERSION == ' 'a == b c == d' '(a == b' 'a == b)' 'a = b' 'a == b and' \
    'a == b or or c == d' 'and' '()' 'a ; b' '$A == $B == $C' 'a == b and c' "'a == a"; do
    condition ERROR "$text"
  done
}
run_case malformed_conditions "package.xml: malformed conditions are refused"

# Checks that package.xml, whose text is the second argument, is refused with the text of the first one.
refused() {
  printf '%s' "$2" | xml_project refused
  fails_again_with "$1" refused
  output_has "refused/package.xml"
}

malformed_package_xml() {
  head='<package><name>refused</name><version>1.0.0</version>'
  refused "the file has no element" ""
  refused "text outside the root element" "text"
  refused "package.xml:3: malformed XML: text outside the root element" "$head</package>

text"
  refused "more than one root element" "$head</package><package/>"
  refused "the root element is <packet>, expected <package>" "<packet/>"
  refused "package.xml:2: malformed XML: the comment is not closed" "$head
<!-- "
  refused "the processing instruction is not closed" "<?xml version='1.0'"
  refused "the CDATA section is not closed" "$head<description><![CDATA[ </description></package>"
  refused "a tag has no name" "$head< depend>a</depend></package>"
  refused "a tag has no name" "<!DOCTYPE a [ <!ENTITY b 'c'> ]>$head</package>"
  refused "the tag <depend> has a wrong attribute" "$head<depend condition=a>a</depend></package>"
  refused "the tag <depend> has a wrong attribute" "$head<depend condition='\$A < 2'>a</depend></package>"
  refused "the tag <depend> has a wrong attribute" "$head<depend"
  refused "the attribute 'a' of <depend> is given twice" "$head<depend a='1' a='2'>a</depend></package>"
  refused "</depends> is found where </depend> is expected" "$head<depend>a</depends></package>"
  refused "</package> is found where </depend> is expected" "$head<depend>a</package>"
  refused "</x> closes nothing" "</x>"
  refused "a closing tag has no name" "$head</ package>"
  refused "the file ends before </package>" "$head"
  refused "an unknown entity" "$head<description>a & b</description></package>"
  refused "an unknown entity" "$head<description>&nbsp;</description></package>"
}
run_case malformed_package_xml "package.xml: malformed XML is refused with file, line and reason"

wrong_package_xml() {
  refused "the element <name> is missing or empty" "<package><version>1.0.0</version></package>"
  refused "the element <name> is missing or empty" "<package><name> </name><version>1.0.0</version></package>"
  refused "<name> is 'a b'" "<package><name>a b</name><version>1.0.0</version></package>"
  refused "the element <version> is missing or empty" "<package><name>refused</name></package>"
  refused "<version> is '1.0', expected three numbers" "<package><name>refused</name><version>1.0</version></package>"
  refused "<name> is 'other', but CMakeLists.txt has project(refused)" \
    "<package><name>other</name><version>1.0.0</version></package>"
  refused "<depend> has '', expected one name" \
    "<package><name>refused</name><version>1.0.0</version><depend/></package>"
  refused "<exec_depend> has 'a b', expected one name" \
    "<package><name>refused</name><version>1.0.0</version><exec_depend>a b</exec_depend></package>"
  rm "$work/src/refused/package.xml"
  fails_with "Each package needs a package.xml" refused
}
run_case wrong_package_xml "package.xml: missing or wrong name and version, wrong dependencies"

deprecated_package() {
  prefixes=$saltus
  project old_thing "<export><deprecated>use \"new_thing\" [soon]</deprecated></export>" <<'END'
ament_package()
END
  install_project old_thing
  prefixes=$saltus:$work/install/old_thing
  project uses_old_thing <<'END'
find_package(old_thing REQUIRED)
ament_package()
END
  configure uses_old_thing -Wdeprecated
  tr -s ' \n' '  ' < "$work/output" > "$work/one_line"
  contains "$work/one_line" 'The package old_thing is deprecated: use "new_thing" [soon]'
}
run_case deprecated_package "a deprecated package says so when it is found"
