/** Which object a storage belongs to. All objects of a test share one isolate, and a spy on the storage sees every one. */

export interface Owner {
  readonly kind: "task" | "tenant" | "sandbox";
  /** The name of the object, which starts with its tenant. */
  readonly name: string;
}

const owners = new WeakMap<object, Owner>();

/** Records an object for itself, its storage and its SQL interface. Called by the objects of the test Worker. */
export function noteOwner(object: object, kind: Owner["kind"], { id, storage }: DurableObjectState): void {
  if (id.name === undefined) return;
  for (const one of [object, storage, storage.sql]) owners.set(one, { kind, name: id.name });
}

/** The object that this is or belongs to; null for an object that is not recorded. */
export function findOwner(part: object): Owner | null {
  return owners.get(part) ?? null;
}
