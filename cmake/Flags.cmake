# How every file is compiled: warnings, sanitizers, what the linker may drop.
#
#   PISTACHIO_WERROR    warnings are errors
#   PISTACHIO_SANITIZE  e.g. "address,undefined" or "thread"
#   PISTACHIO_FUZZ      the libFuzzer targets of tests/fuzz (clang only)

option(PISTACHIO_WERROR "Warnings are errors" OFF)
option(PISTACHIO_FUZZ "Build the libFuzzer targets (clang)" OFF)
set(PISTACHIO_SANITIZE "" CACHE STRING "Sanitizers, separated by commas")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Without tables to unwind by, 0.3 MB less: nothing unwinds, and debuggers have relwithdebinfo.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG -fno-asynchronous-unwind-tables")
# Reports of sanitizers need lines. Whoever steps through a program wants variables, too, and configures with
# -DPISTACHIO_DEBUG_FLAGS="-O0 -g", which takes a fifth longer to compile.
set(PISTACHIO_DEBUG_FLAGS "-O1 -g1" CACHE STRING "Flags of the presets debug, tsan and fuzz")
set(CMAKE_C_FLAGS_DEBUG "${PISTACHIO_DEBUG_FLAGS}")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g -DNDEBUG")

add_library(pistachio_flags INTERFACE)
# Fused multiply-add would give the ISAs of one kernel different last digits.
target_compile_options(
  pistachio_flags
  INTERFACE -Wall -Wextra -Wstrict-prototypes -Wvla -ffp-contract=off -fno-math-errno
            -ffunction-sections -fdata-sections)
# gcc cannot see that an out pointer is set whenever the callee returned no failure; clang's own
# analysis stays on.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  target_compile_options(pistachio_flags INTERFACE -Wno-maybe-uninitialized)
endif()
# Kernels combine conditions with & on purpose: no branch.
if(CMAKE_C_COMPILER_ID MATCHES Clang)
  target_compile_options(pistachio_flags INTERFACE -Wno-bitwise-instead-of-logical)
endif()
target_compile_definitions(pistachio_flags INTERFACE _GNU_SOURCE)
target_link_options(pistachio_flags INTERFACE -Wl,--gc-sections)
# Builds with sanitizers link thirty programs of 70 MB each: mold does it in a fifth of ld's time.
include(CheckLinkerFlag)
if(PISTACHIO_SANITIZE AND NOT PISTACHIO_FUZZ)
  check_linker_flag(C -fuse-ld=mold PISTACHIO_HAS_MOLD)
endif()
# Not programs with the property PISTACHIO_LD: small ones that open the emulated CUDA driver at run time. mold makes
# libstdc++'s operator delete in them visible to it, but not operator new, which AddressSanitizer takes for a mismatch.
if(PISTACHIO_HAS_MOLD)
  target_link_options(pistachio_flags INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:PISTACHIO_LD>>>:-fuse-ld=mold>)
endif()
# Their archive of 170 MB only refers to the objects: it would be written again for each object that changes.
if(PISTACHIO_SANITIZE)
  set(CMAKE_C_ARCHIVE_CREATE "<CMAKE_AR> qcT <TARGET> <LINK_FLAGS> <OBJECTS>")
  set(CMAKE_C_ARCHIVE_APPEND "<CMAKE_AR> qT <TARGET> <LINK_FLAGS> <OBJECTS>")
endif()
# A quarter of a megabyte less; glibc 2.36 and later know the format.
check_linker_flag(C -Wl,-z,pack-relative-relocs PISTACHIO_HAS_RELR)
if(PISTACHIO_HAS_RELR AND NOT PISTACHIO_SANITIZE)
  target_link_options(pistachio_flags INTERFACE -Wl,-z,pack-relative-relocs)
endif()
if(PISTACHIO_WERROR)
  target_compile_options(pistachio_flags INTERFACE -Werror)
endif()
if(PISTACHIO_SANITIZE)
  target_compile_options(pistachio_flags INTERFACE -fsanitize=${PISTACHIO_SANITIZE}
                                                   -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # What is linked to a fixed place starts in two thirds of the time: AddressSanitizer's tables of all
  # globals need no relocation then, and tests start thousands of processes.
  target_link_options(pistachio_flags INTERFACE -fsanitize=${PISTACHIO_SANITIZE}
                      $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()
# UndefinedBehaviorSanitizer's texts are half of what is compiled and 30 MB of the program, each a global that
# AddressSanitizer registers when a process starts: a quarter of the time to compile, two thirds of that to start. A check
# that fails is an illegal instruction instead, of which AddressSanitizer prints the stack, with the line
# (cmake/sanitizer_options.c). With -DPISTACHIO_SANITIZE_TEXTS=ON it says what is wrong there, too.
option(PISTACHIO_SANITIZE_TEXTS "UndefinedBehaviorSanitizer says what it found" OFF)
if(PISTACHIO_SANITIZE MATCHES "address.*undefined" AND NOT PISTACHIO_FUZZ AND NOT PISTACHIO_SANITIZE_TEXTS
   AND CMAKE_C_COMPILER_ID STREQUAL GNU)
  target_compile_options(pistachio_flags INTERFACE -fsanitize-undefined-trap-on-error)
  add_library(sanitizer_options OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitizer_options.c)
  target_link_libraries(
    pistachio_flags
    INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:sanitizer_options>>)
endif()
if(PISTACHIO_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "PISTACHIO_FUZZ needs clang: -DCMAKE_C_COMPILER=clang")
  endif()
  target_compile_options(pistachio_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
# The text that comments are cut out of, 300 MiB word by word, is one thread's work before there are others, and
# most of the time to generate the small tables of tests.
if(PISTACHIO_SANITIZE STREQUAL thread)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/tpch/text_pool.c PROPERTIES COMPILE_OPTIONS
                                                                                  "-O2;-fno-sanitize=thread")
endif()
