#!/bin/sh
# The service connects as the owner of its own database, never as a superuser. CREATEROLE lets it make the role that SQL
# queries run as; the last grant lets it limit their temporary files (PostgreSQL 15 and newer). See docs/sql.md.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$SERVICE_DB_PASS" --username postgres <<'SQL'
CREATE ROLE service LOGIN NOSUPERUSER CREATEROLE PASSWORD :'password';
CREATE DATABASE service OWNER service;
SELECT current_setting('server_version_num')::int >= 150000 AS can_grant \gset
\if :can_grant
GRANT SET ON PARAMETER temp_file_limit TO service;
\endif
SQL
