//===- gmpxx.h - stands for GMP's header where there is no GMP --*- C++ -*-===//
#ifndef ERGON_REPORT_WASM_ADAPTERS_GMPXX_H
#define ERGON_REPORT_WASM_ADAPTERS_GMPXX_H

#include "report/wasm/adapters/Integer.h"

using mpz_class = ergon::adapted::Integer;
using mpq_class = ergon::adapted::Fraction;
using ergon::adapted::mpz_fdiv_q;
using ergon::adapted::mpz_pow_ui;
using ergon::adapted::mpz_root;
using ergon::adapted::mpz_sizeinbase;
using ergon::adapted::mpz_ui_pow_ui;

#endif
