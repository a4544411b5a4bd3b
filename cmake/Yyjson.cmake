# yyjson, the JSON reader and writer (third_party/yyjson).
#
# Makes the objects yyjson; include it as <yyjson/yyjson.h>.

add_library(yyjson OBJECT ${CMAKE_SOURCE_DIR}/third_party/yyjson/yyjson.c)
set_target_properties(yyjson PROPERTIES POSITION_INDEPENDENT_CODE ON)
# The program's flags, sanitizers included, but for its warnings. Comments, NaN and so on are not JSON.
target_link_libraries(yyjson PRIVATE pistachio_flags)
target_compile_options(yyjson PRIVATE -w)
# Sanitized, it took as long to compile as a hundred other files: AddressSanitizer alone, of code that is not optimized.
if(PISTACHIO_SANITIZE MATCHES undefined)
  target_compile_options(yyjson PRIVATE -O0 -fno-sanitize=undefined)
endif()
# yyjson_api would make its functions visible outside the library.
set(YYJSON_DEFINITIONS YYJSON_DISABLE_NON_STANDARD=1 yyjson_api=)
target_compile_definitions(yyjson PRIVATE ${YYJSON_DEFINITIONS})
