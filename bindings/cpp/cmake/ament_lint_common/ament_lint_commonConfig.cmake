# The linters that packages name in test_depend. Saltus runs no linters, so there is nothing to find.
