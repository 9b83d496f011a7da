/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQLite's interface. The program links SQLite; an extension calls the library that loads it
 * through the table of that library.
 */
#ifndef FTR_SQL_SQL_SQLITE_H
#define FTR_SQL_SQL_SQLITE_H

#ifdef FTR_SQL_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

#endif
