/** A calendar, with Google Calendar's names. */
import {
  CHANGES,
  count,
  defineApp,
  DELETES,
  isFound,
  notFound,
  READS,
  readCount,
  readText,
  readTexts,
  text,
  texts,
} from "./working-app.ts";

const HOUR_MS = 3_600_000;
const DEFAULT_RESULTS = 10;

interface Meeting {
  readonly id: string;
  summary: string;
  start: string;
  end: string;
  attendees: string[];
}

interface Agenda {
  events: Meeting[];
  next: number;
}

function addEvent(agenda: Agenda, summary: string, startMs: number, hours: number, attendees: string[]): Meeting {
  const event = {
    id: `evt_${agenda.next}`,
    summary,
    start: new Date(startMs).toISOString(),
    end: new Date(startMs + hours * HOUR_MS).toISOString(),
    attendees,
  };
  agenda.next += 1;
  agenda.events = [...agenda.events, event].toSorted((one, other) => one.start.localeCompare(other.start));
  return event;
}

const EVENT_ID = { event_id: text("Id of the event.") };

export const CALENDAR = defineApp<Agenda>({
  slug: "googlecalendar",
  title: "Google Calendar",
  description: "Events, invitations and free times.",
  category: "calendar",
  scopes: ["https://www.googleapis.com/auth/calendar"],
  begin(now) {
    const agenda: Agenda = { events: [], next: 1 };
    const today = now - (now % (24 * HOUR_MS));
    addEvent(agenda, "Stand-up", today + 33 * HOUR_MS, 0.5, ["tom@acme.example"]);
    addEvent(agenda, "Review of the spring campaign", today + 38 * HOUR_MS, 1, ["priya@globex.example"]);
    return agenda;
  },
  actions: [
    {
      slug: "GOOGLECALENDAR_LIST_CALENDARS",
      title: "List calendars",
      description: "Lists the calendars of the account.",
      tags: READS,
      parameters: {},
      required: [],
      run: () => ({ data: { calendars: [{ id: "primary", summary: "ana@demo.example", primary: true }] } }),
    },
    {
      slug: "GOOGLECALENDAR_EVENTS_LIST",
      title: "List events",
      description: "Lists events by their start, from `timeMin` to `timeMax` if they are given.",
      tags: ["important", ...READS],
      parameters: {
        timeMin: { type: "string", format: "date-time", description: "Earliest end of an event." },
        timeMax: { type: "string", format: "date-time", description: "Latest start of an event." },
        maxResults: count("Maximum number of events.", DEFAULT_RESULTS),
      },
      required: [],
      run(given, { events }) {
        const [from, to] = [Date.parse(readText(given, "timeMin")), Date.parse(readText(given, "timeMax"))];
        const found = events.filter(({ start, end }) => !(Date.parse(end) < from) && !(Date.parse(start) > to));
        return { data: { items: found.slice(0, readCount(given, "maxResults", DEFAULT_RESULTS)) } };
      },
    },
    {
      slug: "GOOGLECALENDAR_FIND_EVENT",
      title: "Find event",
      description: "Finds events by words of their title.",
      tags: ["important", ...READS],
      parameters: { query: text("Words to search for.") },
      required: [],
      run: (given, { events }) => ({
        data: { items: events.filter(({ summary }) => isFound(readText(given, "query"), summary)) },
      }),
    },
    {
      slug: "GOOGLECALENDAR_CREATE_EVENT",
      title: "Create event",
      description: "Creates an event and invites people.",
      tags: ["important"],
      parameters: {
        summary: text("Title of the event."),
        start_datetime: { type: "string", format: "date-time", description: "Start." },
        event_duration_hour: { type: "number", minimum: 0, maximum: 24, default: 1, description: "Length in hours." },
        attendees: texts("Mail addresses to invite."),
      },
      required: ["start_datetime"],
      run(given, agenda) {
        const startMs = Date.parse(readText(given, "start_datetime"));
        if (Number.isNaN(startMs)) return { status: 400, message: "start_datetime has to be a time in RFC 3339" };
        const hours = given["event_duration_hour"];
        const length = typeof hours === "number" ? hours : 1;
        return {
          data: {
            ...addEvent(
              agenda,
              readText(given, "summary") || "Untitled",
              startMs,
              length,
              readTexts(given, "attendees"),
            ),
          },
        };
      },
    },
    {
      slug: "GOOGLECALENDAR_UPDATE_EVENT",
      title: "Update event",
      description: "Changes the title or the guests of an event.",
      tags: CHANGES,
      parameters: { ...EVENT_ID, summary: text("New title."), attendees: texts("New guests.") },
      required: ["event_id"],
      run(given, { events }) {
        const event = events.find(({ id }) => id === readText(given, "event_id"));
        if (event === undefined) return notFound("Event");
        event.summary = readText(given, "summary") || event.summary;
        if (given["attendees"] !== undefined) event.attendees = readTexts(given, "attendees");
        return { data: { ...event } };
      },
    },
    {
      slug: "GOOGLECALENDAR_DELETE_EVENT",
      title: "Delete event",
      description: "Deletes an event and tells its guests.",
      tags: DELETES,
      parameters: EVENT_ID,
      required: ["event_id"],
      run(given, agenda) {
        const id = readText(given, "event_id");
        if (!agenda.events.some((event) => event.id === id)) return notFound("Event");
        agenda.events = agenda.events.filter((event) => event.id !== id);
        return { data: { success: true } };
      },
    },
  ],
});
