/** Numbers that follow from a text: each app and action is made when it is read, and always the same. */

/** From 0 to less than 1. */
export function toFraction(seed: string): number {
  // FNV-1a, then the finalizer of MurmurHash3, which spreads texts that differ in their last character.
  let hash = 0x811c9dc5;
  for (let at = 0; at < seed.length; at += 1) hash = Math.imul(hash ^ seed.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
}

export function toInteger(seed: string, below: number): number {
  return Math.floor(toFraction(seed) * below);
}

export function choose<Item>(seed: string, items: readonly [Item, ...Item[]]): Item {
  return items[toInteger(seed, items.length)] ?? items[0];
}
