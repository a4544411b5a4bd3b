# The kernels of the CUDA device: one file, pistachio.kernels, beside the program, for the architectures
# that nvcc knows of those below, and PTX of the first for later ones.
#
# nvcc is that of PISTACHIO_NVCC, of build/cuda (scripts/setup cuda), or the one of the user's toolkit.
# Without one there are no kernels, and device = 'cuda' says so; all else is the same.

set(PISTACHIO_NVCC "" CACHE STRING "nvcc; empty: looked for; none: not used")
set(PISTACHIO_CUDA_ARCHITECTURES 80 90 100 CACHE STRING "Architectures that the CUDA device's kernels are compiled for")

function(pistachio_find_nvcc result)
  if(PISTACHIO_NVCC STREQUAL none)
    set(${result} "" PARENT_SCOPE)
    return()
  endif()
  if(PISTACHIO_NVCC)
    set(${result} ${PISTACHIO_NVCC} PARENT_SCOPE)
    return()
  endif()
  file(GLOB fetched ${CMAKE_SOURCE_DIR}/build/cuda/nvidia/cu*/bin/nvcc)
  find_program(found_nvcc nvcc PATHS /usr/local/cuda/bin NO_CACHE)
  set(nvcc ${fetched} ${found_nvcc})
  list(FILTER nvcc EXCLUDE REGEX "NOTFOUND$")
  if(nvcc)
    list(GET nvcc 0 nvcc)
  endif()
  set(${result} ${nvcc} PARENT_SCOPE)
endfunction()

# What nvcc is told to make code for; empty: it does not run.
function(pistachio_cuda_code nvcc result)
  execute_process(COMMAND ${nvcc} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET RESULT_VARIABLE failed)
  set(code -gencode arch=compute_80,code=compute_80)
  foreach(architecture IN LISTS PISTACHIO_CUDA_ARCHITECTURES)
    if(known MATCHES "sm_${architecture}\n")
      list(APPEND code -gencode arch=compute_${architecture},code=sm_${architecture})
    endif()
  endforeach()
  if(failed)
    set(code)
  endif()
  set(${result} ${code} PARENT_SCOPE)
endfunction()

function(pistachio_cuda_kernels)
  pistachio_find_nvcc(nvcc)
  if(NOT nvcc)
    message(STATUS "skipped: the CUDA device's kernels, because there is no nvcc (scripts/setup cuda fetches one)")
    return()
  endif()
  pistachio_cuda_code(${nvcc} code)
  if(NOT code)
    message(STATUS "skipped: the CUDA device's kernels, as ${nvcc} does not run")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/device/cuda/*.cu ${CMAKE_SOURCE_DIR}/src/device/cuda/*.cuh
       ${CMAKE_SOURCE_DIR}/src/device/cuda/*.def ${CMAKE_SOURCE_DIR}/src/device/kernels/*.def ${CMAKE_SOURCE_DIR}/src/device/kernels/*.h
       ${CMAKE_SOURCE_DIR}/src/device/value/*.h ${CMAKE_SOURCE_DIR}/src/base/*.h
       ${CMAKE_SOURCE_DIR}/src/base/*/*.h)
  set(kernels ${CMAKE_BINARY_DIR}/pistachio.kernels)
  # What the assembler says of each kernel is kept for scripts/cuda-report. A later nvcc may warn of more, and
  # share out registers in another way: that is an error only where warnings are.
  set(strict)
  if(PISTACHIO_WERROR)
    set(strict -Werror all-warnings -Xptxas --warn-on-spills)
  endif()
  add_custom_command(
    OUTPUT ${kernels}
    COMMAND ${CMAKE_SOURCE_DIR}/cmake/keep-log ${kernels}.log
            ${nvcc} -std=c++17 -O3 --threads 0 --fatbin --fmad=false -Xptxas -v ${code} ${strict} -I ${CMAKE_SOURCE_DIR}/src
            ${CMAKE_SOURCE_DIR}/src/device/cuda/kernels.cu -o ${kernels}
    DEPENDS ${sources} ${CMAKE_SOURCE_DIR}/src/device/cuda/extra.h
    COMMENT "Compiling the CUDA device's kernels"
    VERBATIM)
  # Builds with sanitizers have no use for them: their tests run the emulated device's.
  if(PISTACHIO_SANITIZE)
    add_custom_target(cuda_kernels DEPENDS ${kernels})
  else()
    add_custom_target(cuda_kernels ALL DEPENDS ${kernels})
    install(FILES ${kernels} DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endfunction()

# bench/cub.cu: NVIDIA's CUB, which comes with a toolkit, is what scripts/gpu-check measures our sort and scan by. A
# program of its own with the run-time library linked in; nothing else knows of either. Only built when it is asked
# for: cmake --build BUILD --target cuda_cub. Where nvcc has no CUB beside it, that fails.
function(pistachio_cuda_cub)
  pistachio_find_nvcc(nvcc)
  if(nvcc)
    pistachio_cuda_code(${nvcc} code)
  endif()
  if(NOT code)
    return()
  endif()
  set(program ${CMAKE_BINARY_DIR}/bench_cub)
  add_custom_command(
    OUTPUT ${program}
    COMMAND ${CMAKE_SOURCE_DIR}/cmake/keep-log ${program}.log ${nvcc} -std=c++17 -O3 -cudart static -Xcompiler
            -static-libstdc++,-static-libgcc ${code} ${CMAKE_SOURCE_DIR}/bench/cub.cu -o ${program}
    DEPENDS ${CMAKE_SOURCE_DIR}/bench/cub.cu
    COMMENT "Compiling NVIDIA's CUB, to measure by"
    VERBATIM)
  add_custom_target(cuda_cub DEPENDS ${program})
endfunction()
