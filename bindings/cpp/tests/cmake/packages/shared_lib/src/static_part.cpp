int shared_lib_part()
{
  return 1;
}
