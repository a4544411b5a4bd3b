# Each src/device/cpu/kernel_*.c is compiled once per ISA, with -DISA=<name> and the ISA's flags;
# "simulated" is the scalar code for the simulated device, whose addresses inside texts are shifted (kernel.h).
#
# In Debug builds kernels are not optimized: with sanitizers that took half of the build's time, and
# tests have few rows.

set(PISTACHIO_ISAS scalar simulated)
set(flags_scalar)
set(flags_simulated)
# What is seldom or never fast shall at least be small.
set(speed_scalar -O3)
set(speed_simulated -Os)
set(speed_avx2 -O3)
set(speed_avx512 -O3)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND PISTACHIO_ISAS avx2 avx512)
  set(speed_scalar -O2)
  set(flags_avx2 -mavx2 -mbmi -mbmi2 -mfma -mpopcnt -mlzcnt)
  set(flags_avx512
      ${flags_avx2}
      -mavx512f
      -mavx512bw
      -mavx512dq
      -mavx512vl
      -mavx512cd
      -mavx512vbmi
      -mavx512vbmi2
      -mavx512vpopcntdq
      -mavx512bitalg
      -mprefer-vector-width=512)
endif()

# Sets <result> to the object files of all kernels for all ISAs.
function(pistachio_kernel_objects result)
  file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/device/cpu/kernel_*.c)
  set(objects)
  if(kernels)
    foreach(isa IN LISTS PISTACHIO_ISAS)
      add_library(kernels_${isa} OBJECT ${kernels})
      set_target_properties(kernels_${isa} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      target_include_directories(kernels_${isa} PRIVATE ${CMAKE_SOURCE_DIR}/src
                                                        ${CMAKE_SOURCE_DIR}/include)
      target_compile_definitions(kernels_${isa} PRIVATE ISA=${isa})
      target_compile_options(kernels_${isa} PRIVATE ${flags_${isa}} $<$<CONFIG:Release>:${speed_${isa}}>
                                                 $<$<CONFIG:Debug>:-O0>)
      target_link_libraries(kernels_${isa} PRIVATE pistachio_flags)
      list(APPEND objects $<TARGET_OBJECTS:kernels_${isa}>)
    endforeach()
  endif()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()
