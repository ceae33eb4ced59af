/** Names of pg_catalog in Postgres 18.4. Written by scripts/postgres-names.ts; not edited by hand. */

/** The functions that a query may call: immutable or stable ones that reach nothing but their arguments, `random` and `clock_timestamp`. */
export const POSTGRES_FUNCTIONS: ReadonlySet<string> = new Set(
  (
    "abbrev abs acos acosd acosh age any_value area array_agg array_append array_dims array_fill array_length array_lower " +
    "array_ndims array_position array_positions array_prepend array_remove array_replace array_reverse array_sort " +
    "array_to_json array_to_string array_to_tsvector array_upper ascii asin asind asinh atan atan2 atan2d atand atanh avg " +
    "bit bit_and bit_count bit_length bit_or bit_xor bool bool_and bool_or bound_box box bpchar broadcast btrim bytea " +
    "cardinality casefold cash_words cbrt ceil ceiling center char char_length character_length chr cidr circle " +
    "clock_timestamp concat concat_ws convert convert_from convert_to corr cos cosd cosh cot cotd count covar_pop " +
    "covar_samp crc32 crc32c cume_dist current_database current_schema current_schemas current_user date date_add " +
    "date_bin date_part date_subtract date_trunc datemultirange daterange daterange_canonical daterange_subdiff decode " +
    "degrees dense_rank dexp diagonal diameter div dlog1 dlog10 dround dtrunc encode enum_first enum_last enum_range erf " +
    "erfc every exp extract factorial family first_value float4 float8 floor format format_type gamma gcd generate_series " +
    "generate_subscripts get_bit get_byte get_current_ts_config getdatabaseencoding height host hostmask " +
    "icu_unicode_version inet_merge inet_same_family initcap int2 int4 int4inc int4multirange int4range " +
    "int4range_canonical int4range_subdiff int8 int8dec int8dec_any int8inc int8inc_any int8multirange int8range " +
    "int8range_canonical int8range_subdiff interval is_normalized isclosed isempty isfinite ishorizontal isopen " +
    "isparallel isperp isvertical json_agg json_agg_strict json_array_elements json_array_elements_text json_array_length " +
    "json_build_array json_build_object json_each json_each_text json_extract_path json_extract_path_text json_object " +
    "json_object_agg json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict json_object_keys " +
    "json_strip_nulls json_to_tsvector json_typeof jsonb_agg jsonb_agg_strict jsonb_array_elements " +
    "jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text " +
    "jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_agg jsonb_object_agg_strict " +
    "jsonb_object_agg_unique jsonb_object_agg_unique_strict jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz " +
    "jsonb_path_match jsonb_path_match_tz jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz " +
    "jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz jsonb_pretty jsonb_set jsonb_set_lax " +
    "jsonb_strip_nulls jsonb_to_tsvector jsonb_typeof justify_days justify_hours justify_interval lag last_value lcm lead " +
    "left length lgamma like like_escape line ln log log10 lower lower_inc lower_inf lpad lseg ltrim macaddr macaddr8 " +
    "macaddr8_set7bit make_date make_interval make_time make_timestamp make_timestamptz masklen max md5 min min_scale mod " +
    "mode money multirange multirange_intersect_agg_transfn name nameconcatoid netmask network normalize notlike now " +
    "npoints nth_value ntile num_nonnulls num_nulls numeric numeric_div_trunc numeric_exp numeric_inc numeric_ln " +
    "numeric_log numeric_sqrt nummultirange numnode numrange numrange_subdiff octet_length oid overlaps overlay " +
    "parse_ident path pclose percent_rank percentile_cont percentile_disc phraseto_tsquery pi plainto_tsquery point " +
    "polygon popen position pow power querytree quote_ident quote_literal quote_nullable radians radius random range_agg " +
    "range_intersect_agg range_intersect_agg_transfn range_merge rank regexp_count regexp_instr regexp_like regexp_match " +
    "regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr regr_avgx regr_avgy " +
    "regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat replace reverse right round " +
    "row_number row_to_json rpad rtrim scale session_user set_bit set_byte set_masklen setweight sha224 sha256 sha384 " +
    "sha512 sign similar_escape similar_to_escape sin sind sinh slope split_part sqrt statement_timestamp stddev " +
    "stddev_pop stddev_samp string_agg string_to_array string_to_table strip strpos substr substring sum system_user tan " +
    "tand tanh textlen time timestamp timestamptz timetz timezone to_ascii to_bin to_char to_date to_hex to_json to_jsonb " +
    "to_number to_oct to_timestamp to_tsquery to_tsvector transaction_timestamp translate trim_array trim_scale trunc " +
    "ts_delete ts_filter ts_headline ts_parse ts_rank ts_rank_cd ts_token_type tsmultirange tsrange tsrange_subdiff " +
    "tstzmultirange tstzrange tstzrange_subdiff tsvector_to_array unicode_assigned unicode_version unistr unnest upper " +
    "upper_inc upper_inf uuid_extract_timestamp uuid_extract_version var_pop var_samp varbit varchar variance version " +
    "websearch_to_tsquery width width_bucket xid"
  ).split(" "),
);

/** The types that a query may name. */
export const POSTGRES_TYPES: ReadonlySet<string> = new Set(
  (
    "_bit _bool _box _bpchar _bytea _cidr _circle _date _datemultirange _daterange _float4 _float8 _inet _int2 _int4 " +
    "_int4multirange _int4range _int8 _int8multirange _int8range _interval _json _jsonb _jsonpath _line _lseg _macaddr " +
    "_macaddr8 _money _name _numeric _nummultirange _numrange _oid _path _point _polygon _text _time _timestamp " +
    "_timestamptz _timetz _tsmultirange _tsquery _tsrange _tstzmultirange _tstzrange _tsvector _uuid _varbit _varchar bit " +
    "bool box bpchar bytea cidr circle date datemultirange daterange float4 float8 inet int2 int4 int4multirange " +
    "int4range int8 int8multirange int8range interval json jsonb jsonpath line lseg macaddr macaddr8 money name numeric " +
    "nummultirange numrange oid path point polygon text time timestamp timestamptz timetz tsmultirange tsquery tsrange " +
    "tstzmultirange tstzrange tsvector uuid varbit varchar"
  ).split(" "),
);
