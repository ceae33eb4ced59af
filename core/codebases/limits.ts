/** The limits of one codebase. */

/** Files that are indexed, and that may be looked at. */
export const MAX_FILES = 20_000;
/** Bytes of all files that are read. */
export const MAX_BYTES = 200 * 1024 ** 2;
/** A larger file is skipped. */
export const MAX_FILE_BYTES = 1_000_000;
/** From the start of the clone to the last file. */
export const MAX_READ_MS = 300_000;
/** An uploaded archive, packed. */
export const MAX_ZIP_BYTES = 25 * 1024 ** 2;
/** Characters of a chunk. */
export const MAX_CHUNK_CHARACTERS = 1_200;
/** Chunks of a tenant's codebases that have a vector: an exact search compares all of them. */
export const MAX_TENANT_VECTORS = 100_000;
/** Characters of code in one result of a search. */
export const MAX_SHOWN_CHARACTERS = 500;
export const MAX_SIGNATURE_CHARACTERS = 300;
export const MAX_DOC_CHARACTERS = 500;
export const MAX_SYMBOL_CHARACTERS = 200;
/** Of one file. */
export const MAX_SYMBOLS = 2_000;
/** Names that one symbol calls. */
export const MAX_CALLS = 50;
