/** Otto's own addresses of mail, sealed with a key that comes of OTTO_SECRET_KEY, and what replies to them answer. */
import { ok, type Result } from "../../core/base/errors.ts";
import { normalizeAddress, getDomain } from "../../core/channels/mail/address.ts";
import {
  toBase32,
  toLocalPart,
  parseLocalPart,
  SEAL_CHARACTERS,
  TAG_CHARACTERS,
} from "../../core/channels/mail/own-address.ts";
import { guarded } from "../files/r2.ts";
import { forgetOldBehind } from "../files/forget-old.ts";
import type { Sealing } from "../secrets/sealing.ts";

/** How long a reply to an address counts at least. */
const KEPT_MS = 366 * 86_400_000;

/** What a reply answers: it counts when it comes from the address that the question went to. */
export interface Replied {
  /** `qst_…` or `apr_…` */
  readonly ask: string;
  readonly address: string;
}

export interface OwnAddresses {
  /** Where mail of this tenant comes in. */
  ofTenant(tenant: string): Promise<string>;
  /** Null: none of Otto's. */
  read(address: string): Promise<{ readonly tenant: string; readonly tag: string | null } | null>;
  /** An address for the reply of one person to one ask, the same each time; what it stands for is kept first, for a year. */
  forReply(tenant: string, replied: Replied): Promise<Result<string>>;
  /** Null: nothing was ever asked by this tag. */
  repliedTo(tenant: string, tag: string): Promise<Result<Replied | null>>;
}

export function openOwnAddresses(sealing: Sealing, bucket: R2Bucket, domain: string): OwnAddresses {
  /** By the present key first; what was handed out under an earlier key of the ring still counts. */
  const derive = async (text: string, purpose: string, characters: number) => {
    const made = await sealing.deriveEach(new TextEncoder().encode(text), purpose, Math.ceil((characters * 5) / 8));
    return made.map((bytes) => toBase32(bytes, characters));
  };
  const sealsOf = async (tenant: string) => await derive(tenant, "a tenant's address of mail", SEAL_CHARACTERS);
  const tagsOf = async (tenant: string, { ask, address }: Replied) =>
    await derive(`${tenant} ${ask} ${normalizeAddress(address)}`, "an address of mail for replies", TAG_CHARACTERS);
  const whole = async (tenant: string, tag: string | null) => {
    const [seal = ""] = await sealsOf(tenant);
    return `${toLocalPart({ tenant, seal, tag })}@${domain}`;
  };
  return {
    ofTenant: async (tenant) => await whole(tenant, null),
    async read(address) {
      if (getDomain(address) !== domain) return null;
      const own = parseLocalPart(address.slice(0, address.lastIndexOf("@")));
      return own !== null && (await sealsOf(own.tenant)).includes(own.seal)
        ? { tenant: own.tenant, tag: own.tag }
        : null;
    },
    forReply: (tenant, replied) =>
      guarded(async () => {
        const [tag = ""] = await tagsOf(tenant, replied);
        const kept: Replied = { ask: replied.ask, address: normalizeAddress(replied.address) };
        const key = keyOf(tenant, tag);
        await bucket.put(key, JSON.stringify(kept), { onlyIf: { etagDoesNotMatch: "*" } });
        await forgetOldBehind(bucket, { prefix: keyOf(tenant, ""), key, keptMs: KEPT_MS });
        return ok(await whole(tenant, tag));
      }),
    repliedTo: (tenant, tag) =>
      guarded(async () => {
        const blob = await bucket.get(keyOf(tenant, tag));
        if (blob === null) return ok(null);
        const replied = await blob.json<Replied>();
        return ok((await tagsOf(tenant, replied)).includes(tag) ? replied : null);
      }),
  };
}

function keyOf(tenant: string, tag: string): string {
  return `${tenant}/mail/replies/${tag}`;
}
