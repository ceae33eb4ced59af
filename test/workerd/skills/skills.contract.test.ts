/** The contract of skills on the bucket; and what a release leaves there for the next one. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { blobsFromEnv } from "../../../adapters/env/files.ts";
import { storeShippedFromEnv, skillsFromEnv } from "../../../adapters/env/skills.ts";
import { toolSourcesFromEnv } from "../../../adapters/env/tool-sources.ts";
import { openSkills } from "../../../adapters/skills/skills.ts";
import { formatSource } from "../../../core/tool/source.ts";
import { readPackage, hashPackage } from "../../../core/skills/package.ts";
import { SHIPPED, SHIPPED_HASH } from "../../../core/skills/shipped.generated.ts";
import { getShippedPackageKey, getShippedSourceKey, shippedTools } from "../../../core/tool/shipped-skills.ts";
import { packedWith, skillsContract } from "../../contracts/skills/suite.ts";

skillsContract("the bucket", async ({ hash, packed }) => {
  const own = openSkills(blobsFromEnv(env), "ten_a");
  await own.keep(hash, packed);
  return { own, other: skillsFromEnv(env, { tenant: "ten_b" }) };
});

it("built-in skills are stored in full for tasks that continue under a later release", async () => {
  expect((await storeShippedFromEnv(env)).ok).toBe(true);
  const blobs = blobsFromEnv(env);
  for (const { skill, files } of SHIPPED) {
    const stored = await blobs.get(getShippedPackageKey(skill.hash));
    if (!stored.ok) throw new Error(stored.error.message);
    expect(await hashPackage(new Uint8Array(stored.value))).toBe(skill.hash);
    expect(readPackage(stored.value).files.map(({ path, mode }) => ({ path, mode }))).toEqual(
      files.map(({ path, mode }) => ({ path, mode })),
    );
  }
  const source = await blobs.get(getShippedSourceKey(SHIPPED_HASH));
  expect(source.ok && new TextDecoder().decode(source.value)).toBe(formatSource(shippedTools));
});

it("what an earlier release shipped is read by every tenant that pinned it", async () => {
  const { hash, packed } = await packedWith("of an earlier release");
  const blobs = blobsFromEnv(env);
  await blobs.put(getShippedPackageKey(hash), packed);
  await blobs.put(getShippedSourceKey("e".repeat(64)), new TextEncoder().encode("[]"));
  const opened = await skillsFromEnv(env, { tenant: "ten_c" }).open(hash);
  expect(opened.ok && opened.value.text).toBe("of an earlier release");
  expect(await toolSourcesFromEnv(env).read("ten_c", "e".repeat(64))).toEqual({ ok: true, value: [] });
});
