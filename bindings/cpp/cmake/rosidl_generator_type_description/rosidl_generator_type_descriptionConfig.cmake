# The descriptions of types are a part of the generated code for C++.
