import { fakeSkills } from "../fakes/skills.ts";
import { skillsContract } from "./skills-suite.ts";

skillsContract("the fake in memory", async ({ hash, packed }) => ({
  own: fakeSkills(new Map([[hash, packed]])),
  other: fakeSkills(),
}));
