#!/bin/sh
# The service connects as the owner of its own database, never as a superuser.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$SERVICE_DB_PASS" --username postgres <<'SQL'
CREATE ROLE service LOGIN NOSUPERUSER PASSWORD :'password';
CREATE DATABASE service OWNER service;
SQL
