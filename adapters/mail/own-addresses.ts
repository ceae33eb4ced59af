/**
 * Otto's own email addresses, sealed with a key derived from OTTO_SECRET_KEY, and the questions that replies to them
 * answer.
 */
import { ok, type Result } from "../../core/base/errors.ts";
import { normalizeAddress, getDomain } from "../../core/channels/mail/address.ts";
import {
  toBase32,
  toLocalPart,
  parseLocalPart,
  SEAL_CHARACTERS,
  TAG_CHARACTERS,
} from "../../core/channels/mail/own-address.ts";
import { catchFailure } from "../files/r2.ts";
import { deleteExpiredAfter } from "../files/forget-old.ts";
import type { Sealing } from "../secrets/sealing.ts";

/** Minimum lifetime of a reply address. */
const RETENTION_MS = 366 * 86_400_000;

/** The question that a reply answers. It counts only from the address to which the question was sent. */
export interface ReplyTarget {
  /** `qst_…` or `apr_…` */
  readonly ask: string;
  readonly address: string;
}

export interface OwnAddresses {
  /** The address at which this tenant receives mail. */
  ofTenant(tenant: string): Promise<string>;
  /** Null if the address is not Otto's. */
  read(address: string): Promise<{ readonly tenant: string; readonly tag: string | null } | null>;
  /** The address for one person's reply to one question, always the same. Its meaning is stored first, for a year. */
  forReply(tenant: string, replied: ReplyTarget): Promise<Result<string>>;
  /** Null if no question has this tag. */
  repliedTo(tenant: string, tag: string): Promise<Result<ReplyTarget | null>>;
}

export function openOwnAddresses(sealing: Sealing, bucket: R2Bucket, domain: string): OwnAddresses {
  /** The present key first; addresses of an earlier key of the ring stay valid. */
  const derive = async (text: string, purpose: string, characters: number) => {
    const made = await sealing.deriveEach(new TextEncoder().encode(text), purpose, Math.ceil((characters * 5) / 8));
    return made.map((bytes) => toBase32(bytes, characters));
  };
  const sealsOf = async (tenant: string) => await derive(tenant, "a tenant's address of mail", SEAL_CHARACTERS);
  const tagsOf = async (tenant: string, { ask, address }: ReplyTarget) =>
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
      catchFailure(async () => {
        const [tag = ""] = await tagsOf(tenant, replied);
        const kept: ReplyTarget = { ask: replied.ask, address: normalizeAddress(replied.address) };
        const key = getKey(tenant, tag);
        await bucket.put(key, JSON.stringify(kept), { onlyIf: { etagDoesNotMatch: "*" } });
        await deleteExpiredAfter(bucket, { prefix: getKey(tenant, ""), key, retentionMs: RETENTION_MS });
        return ok(await whole(tenant, tag));
      }),
    repliedTo: (tenant, tag) =>
      catchFailure(async () => {
        const blob = await bucket.get(getKey(tenant, tag));
        if (blob === null) return ok(null);
        const replied = await blob.json<ReplyTarget>();
        return ok((await tagsOf(tenant, replied)).includes(tag) ? replied : null);
      }),
  };
}

function getKey(tenant: string, tag: string): string {
  return `${tenant}/mail/replies/${tag}`;
}
