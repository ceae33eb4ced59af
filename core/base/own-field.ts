/** Reads an object that is keyed by text. `record[key]` would also find what every object inherits, such as `constructor`. */

/** The value that the record itself has under this key; undefined when it has none. */
export function getOwn<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
