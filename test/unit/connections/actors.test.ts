import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Actor,
  type Actors,
  addActor,
  isOnlyActor,
  joinActors,
  MAX_ACTORS,
  startActors,
  UNKNOWN_ACTORS,
} from "../../../core/connections/actors.ts";

const by = (person: string | null): Actor => ({ person, name: person ?? "API key ci" });
const PERSON = fc.integer({ min: 0, max: 80 }).map((number) => `per_${number}`);
const AUTHOR = fc.oneof({ weight: 6, arbitrary: PERSON.map(by) }, fc.constant(by(null)), fc.constant(null));
const ACTORS: fc.Arbitrary<Actors> = fc
  .tuple(fc.option(PERSON), fc.array(AUTHOR, { maxLength: 70 }))
  .map(([caller, authors]) => authors.reduce(addActor, startActors(caller, caller)));

/** What a rule reads of actors: whether a person is the only one. */
const onlyOnes = (actors: Actors) =>
  Array.from({ length: 81 }, (_, number) => `per_${number}`).filter((person) => isOnlyActor(actors, person));

describe("the actors of a task", () => {
  test("begin with its author, or with an unknown one", () => {
    expect(startActors("per_ana", "per_ana")).toEqual({ caller: "per_ana", people: ["per_ana"], hasUnknown: false });
    expect(startActors("per_ana", "per_bo")).toEqual({ caller: "per_ana", people: ["per_bo"], hasUnknown: false });
    expect(startActors(null, null)).toEqual(UNKNOWN_ACTORS);
  });

  test("count an author without a record as unknown, and so as somebody else", () => {
    const alone = startActors("per_ana", "per_ana");
    expect(isOnlyActor(alone, "per_ana")).toBe(true);
    for (const author of [null, by(null), by("per_bo")])
      expect(isOnlyActor(addActor(alone, author), "per_ana")).toBe(false);
    expect(isOnlyActor(alone, "per_bo")).toBe(false);
    expect(isOnlyActor({ caller: "per_ana", people: [], hasUnknown: false }, "per_ana")).toBe(false);
  });

  test("stay the same object while nothing changes", () => {
    const actors = addActor(startActors("per_ana", "per_ana"), null);
    for (const author of [null, by(null), by("per_ana")]) expect(addActor(actors, author)).toBe(actors);
    expect(joinActors(actors, undefined)).toBe(actors);
    expect(joinActors(actors, startActors("per_bo", "per_ana"))).toBe(actors);
  });

  test("keep the caller, and take those of an object of an earlier release as unknown", () => {
    const ana = startActors("per_ana", "per_ana");
    expect(joinActors(ana, startActors("per_bo", "per_bo"))).toEqual({
      caller: "per_ana",
      people: ["per_ana", "per_bo"],
      hasUnknown: false,
    });
    expect(joinActors(ana, undefined)).toEqual({ ...ana, hasUnknown: true });
  });

  test("name at most MAX_ACTORS people, each once; more count as unknown", () => {
    fc.assert(
      fc.property(ACTORS, ({ people, hasUnknown }) => {
        expect(people.length).toBeLessThanOrEqual(MAX_ACTORS);
        expect(new Set(people).size).toBe(people.length);
        if (people.length < MAX_ACTORS) return;
        const more = addActor({ caller: null, people, hasUnknown }, by("per_new"));
        expect(more.hasUnknown).toBe(true);
      }),
    );
  });

  test("decide the same in each order of joining", () => {
    fc.assert(
      fc.property(ACTORS, ACTORS, ACTORS, (a, b, c) => {
        const orders = [
          joinActors(joinActors(a, b), c),
          joinActors(joinActors(c, a), b),
          joinActors(a, joinActors(b, c)),
          joinActors(b, joinActors(c, a)),
        ];
        const [first] = orders;
        for (const order of orders) {
          expect(order.hasUnknown).toBe(first?.hasUnknown);
          if (!order.hasUnknown) expect(new Set(order.people)).toEqual(new Set(first?.people));
          expect(onlyOnes(order)).toEqual(onlyOnes(first ?? a));
        }
      }),
    );
  });

  test("never lose anybody", () => {
    fc.assert(
      fc.property(ACTORS, ACTORS, AUTHOR, (a, b, author) => {
        const grown = addActor(joinActors(a, b), author);
        for (const before of [a, b]) {
          expect(onlyOnes(grown).every((person) => onlyOnes(before).includes(person))).toBe(true);
          expect(grown.hasUnknown || !before.hasUnknown).toBe(true);
        }
      }),
    );
  });
});
