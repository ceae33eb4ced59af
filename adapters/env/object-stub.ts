/** The stub of an object, typed by what the object promises in core: its class is above this layer. */
export function stubOf<T>(namespace: DurableObjectNamespace, name: string): T {
  return namespace.get(namespace.idFromName(name)) as unknown as T;
}

/** What an object beside its methods answers: the upgrade requests of watchers. */
export interface Watchable {
  fetch(url: string, init?: RequestInit): Promise<Response>;
}
