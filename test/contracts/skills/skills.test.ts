import { readPackage } from "../../../core/skills/package.ts";
import { fakeSkills } from "../../fakes/skills.ts";
import { skillsContract } from "./suite.ts";

skillsContract("the fake in memory", async ({ hash, packed }) => {
  const stored = readPackage(packed);
  const files = stored.files.map(({ path }) => {
    const bytes = stored.read(path);
    return [path, bytes.ok ? bytes.value : new Uint8Array()] as const;
  });
  return { own: fakeSkills({ [hash]: Object.fromEntries(files) }), other: fakeSkills({}) };
});
