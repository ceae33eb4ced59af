import { expect, test } from "vitest";
import { askWhichSkill } from "../../../core/skills/publisher.ts";

const by = (author: string | null, license: string | null = null) => ({ name: "pdf", author, license });

test.each([
  [by(null), by(null)],
  [by("Ana", "MIT"), by(" ana ", "mit")],
  [by("Ana\n Lee"), by("Ana Lee")],
])("%j and %j have one publisher", (present, upload) => {
  expect(askWhichSkill(present, upload)).toBeNull();
});

test.each([
  [by("Ana"), by("Ben")],
  [by(null), by("Ben")],
  [by(null, "MIT"), by(null, "Proprietary")],
  [by("Ana", "MIT"), by("Ana")],
])("%j and %j may have two, which is asked", (present, upload) => {
  expect(askWhichSkill(present, upload)).toMatch(
    /^Another publisher may have made the present skill pdf .*same_skill=true/,
  );
});
