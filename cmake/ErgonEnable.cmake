# ergon_enable(TARGET [DIRECTORY DIR])
#
# Whenever sources of TARGET are compiled, cost records of them are written to DIR, by default
# ergon-records in the top build folder. The object files stay the same, byte for byte. Languages whose
# compiler is not of the plugin's LLVM version are left as they are, which is told at configure time.
function(ergon_enable target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIRECTORY" "")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "ergon_enable(${target}): unknown words ${arg_UNPARSED_ARGUMENTS}"
      "${arg_KEYWORDS_MISSING_VALUES}; write ergon_enable(TARGET [DIRECTORY DIR])")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "ergon_enable(${target}): there is no such target; add it first")
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  get_target_property(alias ${target} ALIASED_TARGET)
  if(imported OR alias OR NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
    message(FATAL_ERROR "ergon_enable(${target}): nothing is compiled for it; "
      "name an executable or a library with sources of its own")
  endif()
  if(NOT arg_DIRECTORY)
    set(arg_DIRECTORY "${CMAKE_BINARY_DIR}/ergon-records")
  endif()
  get_filename_component(arg_DIRECTORY "${arg_DIRECTORY}" ABSOLUTE
    BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")

  get_property(plugin GLOBAL PROPERTY ERGON_PLUGIN_FILE)
  get_filename_component(names "${plugin}" DIRECTORY)
  string(APPEND names "/ErgonDebugInfo.so") # names and lines where the target has no -g
  get_property(built_with GLOBAL PROPERTY ERGON_LLVM_VERSION)
  string(REGEX MATCH "^[0-9]+" wanted "${built_with}")
  foreach(language IN ITEMS C CXX CUDA Fortran)
    if(NOT CMAKE_${language}_COMPILER_LOADED)
      continue()
    endif()
    set(version "${CMAKE_${language}_COMPILER_VERSION}")
    if(NOT CMAKE_${language}_COMPILER_ID MATCHES "^(Clang|LLVMFlang)$" OR
       NOT version MATCHES "^${wanted}[.]")
      message(STATUS "Ergon: ${target}: no records of ${language} sources: "
        "${CMAKE_${language}_COMPILER} is ${CMAKE_${language}_COMPILER_ID} ${version}, "
        "and the plugin is for clang ${wanted}")
      continue()
    endif()
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:${language}>:SHELL:-fpass-plugin=\"${plugin}\" -mllvm \"-ergon-dir=${arg_DIRECTORY}\">")
    if(NOT language STREQUAL "Fortran")
      target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:${language}>:SHELL:-fplugin=\"${names}\">")
    endif()
    # A cached object file has no record.
    get_target_property(launcher ${target} ${language}_COMPILER_LAUNCHER)
    if(launcher MATCHES "(ccache|sccache|buildcache)$")
      message(STATUS "Ergon: ${target}: ${language} sources are compiled without ${launcher}, "
        "which would give object files without records")
      set_target_properties(${target} PROPERTIES ${language}_COMPILER_LAUNCHER "")
    endif()
  endforeach()
endfunction()
