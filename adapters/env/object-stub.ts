/** The stub of an object, typed by its interface in core: its class is above this layer. */
export function getStub<T>(namespace: DurableObjectNamespace, name: string): T {
  return namespace.get(namespace.idFromName(name)) as unknown as T;
}

/** What an object replies in addition to its methods: the upgrade requests of watchers. */
export interface Watchable {
  fetch(url: string, init?: RequestInit): Promise<Response>;
}
