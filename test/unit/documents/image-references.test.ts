import fc from "fast-check";
import { expect, it } from "vitest";
import { findImageReferences } from "../../../core/documents/image-references.ts";

it.each([
  ["![a](b.png)", ["b.png"]],
  ['![a]( b.png "title" )', ["b.png"]],
  ["![a](<b c.png>)", ["b c.png"]],
  ["![a](b%20c.png)", ["b c.png"]],
  ["![a](100%.png)", ["100%.png"]],
  ["![a](b_(1).png)", ["b_(1).png"]],
  ["[![a](b.png)](https://example.com)", ["b.png"]],
  ["![a][r]\n\n[r]: b.png", ["b.png"]],
  ["![a](b.png){width=50%} ![a](b.png)", ["b.png"]],
  ["![a](https://example.com/b.png) ![a](//x/y) [t](#here) ![a](data:image/png;base64,AA)", []],
  ["no images", []],
])("finds in %j: %j", (markdown, paths) => {
  expect(findImageReferences(markdown)).toEqual(paths);
});

it("takes linear time, and finds a limited number", () => {
  const slow = [
    "](".repeat(100_000),
    "](<".repeat(100_000),
    `](${"(".repeat(100_000)}`,
    "[".repeat(100_000),
    `[a]:${" ".repeat(100_000)}`,
  ];
  for (const text of slow) expect(findImageReferences(text).length).toBeLessThanOrEqual(500);
  expect(findImageReferences(Array.from({ length: 2_000 }, (_, index) => `![](${index}.png)`).join(" "))).toHaveLength(
    500,
  );
});

it("finds any path in angle brackets", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zA-Z0-9äé日 _.-]{1,40}$/), (path) => {
      fc.pre(!/^[a-z][a-z0-9+.-]*:/i.test(path));
      expect(findImageReferences(`![x](<${path}>)`)).toContain(path);
    }),
  );
});
