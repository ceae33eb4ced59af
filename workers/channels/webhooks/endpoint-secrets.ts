/** Secrets that sign webhooks: created, sealed for the database, and opened only by the sender. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { openStoredFromEnv, sealingFromEnv } from "../../../adapters/env/secrets.ts";
import { toBase64 } from "../../../core/base/base64.ts";
import type { SealedEndpoint } from "../../../core/channels/webhooks/endpoint.ts";
import { selectValidSecrets } from "../../../core/channels/webhooks/old-secrets.ts";
import { SECRET_BYTES, writeSecret } from "../../../core/channels/webhooks/signature.ts";

/** A secret in the form that its receiver gets once, and in the form that the database stores. */
export interface NewSecret {
  readonly text: string;
  readonly sealed: string;
}

/** The same seed always creates the same secret. Only the holder of OTTO_SECRET_KEY can derive it. */
export async function createEndpointSecret(
  env: Env,
  { tenant, id }: { readonly tenant: string; readonly id: string },
  seed: Uint8Array,
): Promise<NewSecret> {
  const sealing = sealingFromEnv(env);
  const bytes = (await sealing.derive(seed, `webhook secret of ${tenant} ${id}`, SECRET_BYTES)).slice(0, SECRET_BYTES);
  return { text: writeSecret(bytes), sealed: toBase64(await sealing.seal(bytes, getContext(tenant, id))) };
}

/**
 * Returns the valid secrets: the current one, and a replaced one during its overlap. Throws if one cannot be opened.
 */
export async function openSigningSecrets(
  env: Env,
  tenant: string,
  { id, sealed, old }: SealedEndpoint,
  now: number,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const context = getContext(tenant, id);
  const values = [
    { tenant, context, sealed, column: "endpoints.sealed" as const },
    ...selectValidSecrets(old, now).map((one) => ({
      tenant,
      context,
      sealed: one.sealed,
      column: "endpoints.old_sealed[]" as const,
    })),
  ];
  return await Promise.all(values.map(async (value) => new Uint8Array(await openStoredFromEnv(env, value))));
}

function getContext(tenant: string, id: string): string {
  return `webhook secret ${tenant} ${id}`;
}
