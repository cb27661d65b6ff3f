# Ergon::model, Ergon::formats and Ergon::predict: Ergon's C++ libraries in an installation. Each links the
# one before it. Headers are included as "predict/answer/Predictor.h". A program that uses Ergon::predict sees
# the folder of machine profiles and library costs as the macro ERGON_DATA, a string.
#
# The libraries are for C++23. Their own dependencies are looked for only where a library is wanted.

# Adds Ergon::LAYER. NEEDS is a list of PACKAGE=TARGET (found by find_package) and LIBRARY (found by
# find_library), each followed by @ and the Debian package that has it. Sets the variable REASON to why the
# library is not there, and to nothing where it is.
function(ergon_add_library LAYER PREFIX REASON)
  cmake_parse_arguments(PARSE_ARGV 3 ARG "" "LINKS" "NEEDS")
  set(${REASON} "" PARENT_SCOPE)
  if(TARGET Ergon::${LAYER})
    return()
  endif()
  set(ARCHIVE "${PREFIX}/lib/libergon_${LAYER}.a")
  set(HEADERS "${PREFIX}/include/ergon")
  if(NOT CMAKE_CXX_COMPILER_LOADED)
    set(${REASON} "Ergon::${LAYER} is a C++ library: enable the language CXX first" PARENT_SCOPE)
    return()
  elseif(NOT EXISTS "${ARCHIVE}" OR NOT EXISTS "${HEADERS}/${LAYER}")
    string(CONCAT MESSAGE "${PREFIX} is not an installation of Ergon with Ergon::${LAYER}: "
      "run cmake --install, and name its prefix in CMAKE_PREFIX_PATH")
    set(${REASON} "${MESSAGE}" PARENT_SCOPE)
    return()
  endif()
  set(LINKED ${ARG_LINKS})
  set(MISSING "")
  foreach(NEED IN LISTS ARG_NEEDS)
    string(REGEX MATCH "^([^=@]+)=?([^@]*)@(.+)$" WHOLE "${NEED}")
    set(NAME ${CMAKE_MATCH_1})
    set(PACKAGE_TARGET ${CMAKE_MATCH_2})
    set(DEBIAN ${CMAKE_MATCH_3})
    if(PACKAGE_TARGET)
      find_package(${NAME} QUIET CONFIG)
      if(TARGET ${PACKAGE_TARGET})
        list(APPEND LINKED ${PACKAGE_TARGET})
        continue()
      endif()
    else()
      find_library(ERGON_${NAME}_LIBRARY ${NAME})
      mark_as_advanced(ERGON_${NAME}_LIBRARY)
      if(ERGON_${NAME}_LIBRARY)
        list(APPEND LINKED "${ERGON_${NAME}_LIBRARY}")
        continue()
      endif()
    endif()
    list(APPEND MISSING "${NAME} (Debian: ${DEBIAN})")
  endforeach()
  if(MISSING)
    list(JOIN MISSING ", " MISSING)
    set(${REASON} "Ergon::${LAYER} needs ${MISSING}: install that, or name its prefix in CMAKE_PREFIX_PATH"
      PARENT_SCOPE)
    return()
  endif()
  add_library(Ergon::${LAYER} STATIC IMPORTED)
  set_target_properties(Ergon::${LAYER} PROPERTIES
    IMPORTED_LOCATION "${ARCHIVE}"
    IMPORTED_LINK_INTERFACE_LANGUAGES CXX
    INTERFACE_COMPILE_FEATURES cxx_std_23
    INTERFACE_INCLUDE_DIRECTORIES "${HEADERS}"
    INTERFACE_LINK_LIBRARIES "${LINKED}")
endfunction()

# Adds the libraries that find_package(Ergon) asks for by COMPONENTS, with those that they link. Where it
# names no component, adds those whose dependencies are found. Where a required component is missing, the
# package is not found. PREFIX is that of the installation.
macro(ergon_find_components PREFIX)
  set(Ergon_runtime_FOUND TRUE)
  set(ERGON_WANTED ${Ergon_FIND_COMPONENTS})
  if(NOT ERGON_WANTED)
    set(ERGON_WANTED predict)
  endif()
  set(ERGON_REASON "")
  if("model" IN_LIST ERGON_WANTED OR "formats" IN_LIST ERGON_WANTED OR "predict" IN_LIST ERGON_WANTED)
    ergon_add_library(model "${PREFIX}" ERGON_REASON
      NEEDS Eigen3=Eigen3::Eigen@libeigen3-dev)
  endif()
  if(NOT ERGON_REASON AND ("formats" IN_LIST ERGON_WANTED OR "predict" IN_LIST ERGON_WANTED))
    ergon_add_library(formats "${PREFIX}" ERGON_REASON LINKS Ergon::model
      NEEDS nlohmann_json=nlohmann_json::nlohmann_json@nlohmann-json3-dev
        simdjson=simdjson::simdjson@libsimdjson-dev csv@libcsv-dev)
  endif()
  if(NOT ERGON_REASON AND "predict" IN_LIST ERGON_WANTED)
    ergon_add_library(predict "${PREFIX}" ERGON_REASON LINKS Ergon::formats
      NEEDS fmt=fmt::fmt@libfmt-dev md@libmd-dev)
  endif()
  if(TARGET Ergon::predict)
    set_target_properties(Ergon::predict PROPERTIES
      INTERFACE_COMPILE_DEFINITIONS "ERGON_DATA=\"${PREFIX}/share/ergon\"")
  endif()
  foreach(ERGON_COMPONENT IN LISTS Ergon_FIND_COMPONENTS)
    if(TARGET Ergon::${ERGON_COMPONENT})
      set(Ergon_${ERGON_COMPONENT}_FOUND TRUE)
      continue()
    endif()
    set(Ergon_${ERGON_COMPONENT}_FOUND FALSE)
    if(NOT Ergon_FIND_REQUIRED_${ERGON_COMPONENT})
      continue()
    endif()
    set(Ergon_FOUND FALSE)
    set(Ergon_NOT_FOUND_MESSAGE "${ERGON_REASON}")
    if(NOT ERGON_COMPONENT MATCHES "^(model|formats|predict)$")
      string(CONCAT Ergon_NOT_FOUND_MESSAGE "Ergon has no component ${ERGON_COMPONENT}; "
        "there are runtime, model, formats and predict")
    endif()
  endforeach()
endmacro()
