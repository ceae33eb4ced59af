import { fakeReminders } from "../../fakes/reminders.ts";
import { makePerson } from "../../fakes/people.ts";
import { newId } from "../database/rows.ts";
import { remindersSuite } from "./reminders-suite.ts";

remindersSuite("memory", async (places, people) =>
  fakeReminders(
    places,
    people.map(({ name, timeZone }) => makePerson(newId("person"), name, { timeZone })),
  ),
);
