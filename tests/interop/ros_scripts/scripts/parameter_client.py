"""A client for the parameters of another node."""

import os
import tempfile

import rclpy
from rclpy.parameter import Parameter, parameter_dict_from_yaml_file, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient

FILE = """parameter_server:
  ros__parameters:
    name: from a file
    param1: 7.5
"""


def main(args=None):
    rclpy.init(args=args)
    node = rclpy.create_node("parameter_client")
    client = AsyncParameterClient(node, "parameter_server")
    if not client.wait_for_services(10.0):
        raise RuntimeError("no services")
    assert client.services_are_ready()

    def wait(future):
        rclpy.spin_until_future_complete(node, future, timeout_sec=10.0)
        return future.result()

    names = wait(client.list_parameters(["param1", "name"], 10)).result.names
    print("listed:", sorted(names))
    results = wait(
        client.set_parameters(
            [
                Parameter("param1", Parameter.Type.DOUBLE, 1.5),
                Parameter("param1", value=-1.0).to_parameter_msg(),
                Parameter("fixed", value=2),
            ]
        )
    ).results
    print("set:", [result.successful for result in results], results[1].reason)
    print("types:", list(wait(client.get_parameter_types(["param1", "name"])).types))
    print("described:", wait(client.describe_parameters(["name"])).descriptors[0].description)
    values = wait(client.get_parameters(["param1", "param2"])).values
    print("values:", [parameter_value_to_python(value) for value in values])
    atomic = wait(client.set_parameters_atomically([Parameter("param1", value=-2.0), Parameter("name", value="x")]))
    print("atomically:", atomic.result.successful)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
        file.write(FILE)
    try:
        print("in the file:", sorted(parameter_dict_from_yaml_file(file.name)))
        loaded = wait(client.load_parameter_file(file.name))
        print("loaded:", [result.successful for result in loaded.results])
    finally:
        os.unlink(file.name)
    print("then:", [v.string_value or v.double_value for v in wait(client.get_parameters(["name", "param1"])).values])
    node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
