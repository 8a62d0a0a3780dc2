import os


def test_a_domain_is_set():
    assert 1 <= int(os.environ["ROS_DOMAIN_ID"]) <= 101
