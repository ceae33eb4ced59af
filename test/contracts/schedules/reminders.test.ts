import { fakeReminders } from "../../fakes/reminders.ts";
import { somebody } from "../../fakes/people.ts";
import { newId } from "../database/rows.ts";
import { remindersSuite } from "./reminders-suite.ts";

remindersSuite("memory", async (places, people) =>
  fakeReminders(
    places,
    people.map(({ name, timeZone }) => somebody(newId("person"), name, { timeZone })),
  ),
);
