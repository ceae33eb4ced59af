/**
 * Reads an object that is keyed by text. `record[key]` would also return inherited properties such as `constructor`.
 */

/** Returns the record's own value of this key; undefined if absent. */
export function getOwn<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
