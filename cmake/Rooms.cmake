# A room is a folder of a layer and one library: it may use the rooms that were added before it and the
# layers below, nothing else. test/structure/include_directions.py has the same order.
#
#   ergon_add_room(LAYER ROOM source.cpp … [NATIVE source.cpp …])
#
# All but the NATIVE sources are compiled for WebAssembly too, where the page of a report needs the room.
# What every room of a layer is compiled with stands in the target ergon_LAYER_needs.
#
# ergon_layer_headers(LAYER header …) names headers that are no part of Ergon and that many sources of a layer
# read: they are read once for the layer. With a cache of objects each source reads them, since a precompiled header
# names its build folder, and no other build would find its objects; so a source must include what it uses.
function(ergon_layer_headers LAYER)
  set_property(GLOBAL PROPERTY ERGON_${LAYER}_HEADERS ${ARGN})
endfunction()

# Precompiles the headers of LAYER with TARGET, or takes those of the first target of the layer that did; the
# targets are compiled with the same options.
function(ergon_precompile_headers TARGET LAYER)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  get_property(FIRST GLOBAL PROPERTY ERGON_${LAYER}_PRECOMPILED)
  if(FIRST)
    target_precompile_headers(${TARGET} REUSE_FROM ${FIRST})
    return()
  endif()
  get_property(HEADERS GLOBAL PROPERTY ERGON_${LAYER}_HEADERS)
  if(HEADERS)
    target_precompile_headers(${TARGET} PRIVATE ${HEADERS})
    set_property(GLOBAL PROPERTY ERGON_${LAYER}_PRECOMPILED ${TARGET})
  endif()
endfunction()

function(ergon_add_room LAYER ROOM)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "" "NATIVE")
  set(PORTABLE ${ARG_UNPARSED_ARGUMENTS})
  set(TARGET ergon_${LAYER}_${ROOM})
  add_library(${TARGET} STATIC ${PORTABLE} ${ARG_NATIVE})
  get_property(BELOW GLOBAL PROPERTY ERGON_${LAYER}_TOP)
  target_link_libraries(${TARGET} PUBLIC ${BELOW} ergon_${LAYER}_needs PRIVATE ergon_warnings)
  set_property(GLOBAL PROPERTY ERGON_${LAYER}_TOP ${TARGET})
  set_property(GLOBAL APPEND PROPERTY ERGON_${LAYER}_ROOMS ${TARGET})
  ergon_precompile_headers(${TARGET} ${LAYER})
  list(TRANSFORM PORTABLE PREPEND ${LAYER}/${ROOM}/)
  set_property(GLOBAL PROPERTY ERGON_${LAYER}_${ROOM}_PORTABLE ${PORTABLE})
endfunction()

# The layer as one target, after its last room.
function(ergon_add_layer LAYER)
  get_property(TOP GLOBAL PROPERTY ERGON_${LAYER}_TOP)
  add_library(ergon_${LAYER} INTERFACE)
  target_link_libraries(ergon_${LAYER} INTERFACE ${TOP})
endfunction()

# All rooms of the layer as one archive, libergon_LAYER.a, and their headers, for installation: see
# cmake/ErgonLibraries.cmake. Headers are included by the same paths as here: "LAYER/ROOM/Header.h".
function(ergon_install_layer LAYER)
  get_property(ROOMS GLOBAL PROPERTY ERGON_${LAYER}_ROOMS)
  list(TRANSFORM ROOMS REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(ergon_${LAYER}_archive STATIC ${ROOMS})
  set_target_properties(ergon_${LAYER}_archive PROPERTIES OUTPUT_NAME ergon_${LAYER} LINKER_LANGUAGE CXX)
  install(TARGETS ergon_${LAYER}_archive ARCHIVE DESTINATION lib)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${LAYER} DESTINATION include/ergon
    FILES_MATCHING PATTERN *.h PATTERN schemas EXCLUDE)
endfunction()

# Adds the portable sources of rooms, named LAYER/ROOM, to the list VARIABLE.
function(ergon_portable_sources VARIABLE)
  set(ALL ${${VARIABLE}})
  foreach(ROOM ${ARGN})
    string(REPLACE / _ NAME ${ROOM})
    get_property(SOURCES GLOBAL PROPERTY ERGON_${NAME}_PORTABLE)
    list(APPEND ALL ${SOURCES})
  endforeach()
  set(${VARIABLE} ${ALL} PARENT_SCOPE)
endfunction()
