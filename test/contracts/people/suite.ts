/** What everybody who looks for people has to hold, whichever rows are behind it. */
import { describe, expect, test } from "vitest";
import type { PersonFields } from "../../../core/people/person.ts";
import type { PeoplePort } from "../../../core/ports/people.ts";

type Named = Pick<PersonFields, "name"> & Partial<PersonFields>;

/** `open`: the people of a new tenant who has these; ids by name. */
export function peopleSuite(
  name: string,
  open: (people: readonly Named[]) => Promise<{ people: PeoplePort; ids: Readonly<Record<string, string>> }>,
): void {
  describe(`people of ${name}`, () => {
    const three = [
      { name: "Ana Lima", aliases: ["Boss"] },
      { name: "Ana Costa" },
      { name: "Bo Li", aliases: ["boss"] },
    ];

    test("are found by their id, full name, and a part of the name that is unique", async () => {
      const { people, ids } = await open(three);
      const lima = { ok: true, value: { id: ids["Ana Lima"], name: "Ana Lima" } };
      expect(await people.find("ana  LIMA ")).toEqual(lima);
      expect(await people.find(ids["Ana Lima"] ?? "")).toEqual(lima);
      expect(await people.find("bo")).toEqual({ ok: true, value: { id: ids["Bo Li"], name: "Bo Li" } });
    });

    test("that match an ambiguous name are listed, and none is chosen", async () => {
      const { people } = await open(three);
      expect(await people.find("Ana")).toMatchObject({
        ok: false,
        error: { code: "invalid_input", message: '"Ana" could be Ana Costa, Ana Lima. Use the full name.' },
      });
      expect(await people.find("BOSS")).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    });

    test("are listed if no name matches", async () => {
      const { people } = await open(three);
      expect(await people.find("Cem")).toMatchObject({
        ok: false,
        error: {
          code: "not_found",
          message: 'No person is called "Cem". The people are: Ana Costa, Ana Lima, Bo Li.',
        },
      });
      expect(await people.find("Lima")).toMatchObject({ ok: false, error: { code: "not_found" } });
    });

    test("have any name while the tenant has no records", async () => {
      const { people } = await open([]);
      expect(await people.find("Ana")).toEqual({ ok: true, value: { id: null, name: "Ana" } });
    });
  });
}
