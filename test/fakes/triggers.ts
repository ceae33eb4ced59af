/** Triggers of a provider in memory. */
import { toCanonicalJson } from "../../core/base/canonical-json.ts";
import { failed, ok } from "../../core/base/errors.ts";
import type { AppTriggers, EventSubscription } from "../../core/ports/apps.ts";

/** `isActive`: whether the provider has an active account of this id. */
export function fakeTriggers(isActive: (account: string) => boolean): AppTriggers {
  const ids = new Map<string, string>();
  let subscription: (EventSubscription & { readonly secret: string }) | null = null;
  let made = 0;
  const next = (prefix: string): string => `${prefix}_${(made += 1)}`;
  const noSubscription = failed("not_found", "The subscription does not exist.");
  return {
    upsert({ trigger, providerId, config }) {
      if (!isActive(providerId)) return Promise.resolve(failed("invalid_input", "The account is not active."));
      const key = toCanonicalJson([trigger, providerId, config]);
      const id = ids.get(key) ?? next("ti");
      ids.set(key, id);
      return Promise.resolve(ok(id));
    },
    setEnabled(id) {
      const isKnown = [...ids.values()].includes(id);
      return Promise.resolve(isKnown ? ok(undefined) : failed("not_found", "This trigger does not exist."));
    },
    remove(id) {
      for (const [key, known] of ids) if (known === id) ids.delete(key);
      return Promise.resolve(ok(undefined));
    },
    findSubscription: () =>
      Promise.resolve(ok(subscription === null ? null : { id: subscription.id, url: subscription.url })),
    subscribe(url) {
      if (subscription !== null) return Promise.resolve(failed("upstream_failed", "The key has a subscription."));
      subscription = { id: next("ws"), url, secret: next("whsec_secret") };
      return Promise.resolve(ok(subscription));
    },
    redirect(id, url) {
      if (subscription?.id !== id) return Promise.resolve(noSubscription);
      subscription = { ...subscription, url };
      return Promise.resolve(ok(undefined));
    },
    rotateSecret(id) {
      if (subscription?.id !== id) return Promise.resolve(noSubscription);
      subscription = { ...subscription, secret: next("whsec_secret") };
      return Promise.resolve(ok(subscription.secret));
    },
  };
}
