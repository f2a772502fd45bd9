/** Pure functions of values, aggregates and window functions; all of them of pg_catalog. */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const SET_RETURNING = words(`
  unnest jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys`);

/** Columns of a set-returning function in FROM; a function that is not here has one column, named like its alias. */
export const SET_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  jsonb_array_elements: ['value'],
  jsonb_array_elements_text: ['value'],
  jsonb_each: ['key', 'value'],
  jsonb_each_text: ['key', 'value'],
};

/** These gather what many rows hold into one value. */
export const COLLECTING = words('array_agg string_agg jsonb_agg jsonb_object_agg');

export const FUNCTIONS = new Set([
  ...SET_RETURNING,
  ...COLLECTING,
  ...words(`
  lower upper initcap length char_length character_length octet_length substring substr left right btrim ltrim rtrim
  position strpos split_part reverse replace translate concat concat_ws starts_with ascii chr md5 overlay
  regexp_replace regexp_match regexp_count regexp_like regexp_substr regexp_split_to_array similar_to_escape like_escape
  string_to_array array_to_string to_char to_number to_date to_timestamp
  abs ceil ceiling floor round trunc sign mod div width_bucket num_nulls num_nonnulls
  now date_trunc date_part extract age make_date make_timestamp make_timestamptz make_interval justify_days
  justify_hours justify_interval isfinite date_bin timezone overlaps
  jsonb_array_length jsonb_typeof jsonb_extract_path jsonb_extract_path_text jsonb_build_object jsonb_build_array to_jsonb
  jsonb_strip_nulls jsonb_path_exists jsonb_path_match jsonb_path_query_first jsonb_path_query_array jsonb_set jsonb_contains
  array_length array_ndims array_lower array_upper cardinality array_position array_positions array_remove array_append
  array_prepend array_cat
  host masklen netmask network family broadcast
  count sum avg min max bool_and bool_or every stddev stddev_pop stddev_samp variance var_pop var_samp
  percentile_cont percentile_disc mode
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value`),
]);

/** Their result is as large as all arguments together. */
export const ADDING = words(
  'concat concat_ws overlay jsonb_build_object jsonb_build_array jsonb_set array_append array_prepend array_cat',
);

/** The arguments (from zero) that may be inserted over and over: each has to be a short constant. */
export const INSERTING: Readonly<Record<string, readonly number[]>> = {
  replace: [2],
  regexp_replace: [2],
  array_to_string: [1, 2],
};

/** The argument (from zero) that is a format: it may say one thing many times, and has to be a short constant. */
export const FORMATS: Readonly<Record<string, number>> = { to_char: 1 };

/** They put text into documents and lists, which write each backslash and quote as two characters. */
export const ENCLOSING = words(`
  to_jsonb jsonb_build_object jsonb_build_array jsonb_set jsonb_agg jsonb_object_agg array_agg array_append array_prepend
  string_to_array regexp_split_to_array regexp_match`);

/** They write characters of their own before others: a result is up to twice as long. */
export const ESCAPING = words('like_escape similar_to_escape');

/** Their second argument is a path, whose steps may answer the same part of a document many times. */
export const PATH_FUNCTIONS = words(
  'jsonb_path_exists jsonb_path_match jsonb_path_query_first jsonb_path_query_array',
);
export const PATH_OPERATORS = words('@? @@');

export const TYPES = words(`
  text varchar bool int2 int4 int8 float4 float8 numeric uuid date time timestamp timestamptz interval jsonb inet cidr`);

export const OPERATORS = words(`
  = <> != < > <= >= + - * / % || ~ ~* !~ !~* ~~ ~~* !~~ !~~* -> ->> #> #>> @> <@ ? ?| ?& && #- @? @@ << >> <<= >>= ^@`);

/** The only collation besides each column's own. */
export const COLLATIONS = words('C');
