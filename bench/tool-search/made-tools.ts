/**
 * Tools and requests in the project's own words, the same in every run: services of many trades, each with the same acts on
 * its own things, so that every tool has near namesakes. A request says it in other words than the tools do.
 */
import { seededRandom } from "../../test/drill/random.ts";
import type { SearchableTool } from "../../core/lib/tool-search/segment.ts";
import type { ListedTool } from "../../core/lib/tool-search/tool-list.ts";
import type { JsonSchema } from "../../core/lib/json-schema/json-schema.ts";
import type { NumberedRequest } from "./public-set.ts";

/** A tool as a search reads it, with its input. */
export interface MadeTool extends ListedTool {
  readonly input: JsonSchema;
}

/** A request, and the tools that it needs: one of each group. */
export interface MadeRequest {
  readonly text: string;
  readonly groups: readonly (readonly string[])[];
}

/** A trade, its things, and how people call them: `thing/how it is called`. */
const TRADES = `
shipping: parcel/package, courier, pallet/freight, customs_form/customs declaration, depot/warehouse, delivery_slot/delivery time
kitchens: recipe/cooking instructions, pantry_item/ingredient, menu, allergen/allergy, dish/meal, table_booking/restaurant reservation
clinics: patient, appointment/visit to the doctor, prescription/medicine, lab_result/blood test, ward/hospital room, referral
schools: pupil/student, lesson/class, timetable/schedule, exam/test, report_card/grades, classroom
libraries: loan/borrowed book, catalogue_entry/book, reader/library member, shelf, reminder/overdue notice, reading_room
farms: field/plot of land, herd/cattle, harvest/crop, tractor/machine, seed_batch/seeds, irrigation_plan/watering
airports: flight/plane, gate, runway, baggage/suitcase, boarding_pass/ticket, lounge
railways: train, carriage/coach, platform/track, seat_reservation/seat, delay_notice/delay, rail_pass
banks: account, transfer/payment, card/credit card, loan_offer/mortgage, statement, exchange_rate/currency
insurers: policy/insurance, claim/damage, premium/monthly cost, adjuster, risk_report/risk, beneficiary
energy: meter/electricity meter, tariff/power price, outage/blackout, solar_panel/solar roof, charging_point/car charger, grid_load/consumption
weather: forecast/weather tomorrow, storm_warning/hurricane alert, rain_radar/rainfall, station/weather station, pollen_count/hay fever, climate_series/temperature history
theatre: performance/show, ticket_sale/box office, rehearsal, costume, stage_plan/seating, actor/cast
cinemas: film/movie, screening/showtime, trailer/preview, snack_order/popcorn, auditorium, review/film critic
music: song/track, playlist, album/record, concert/gig, lyric/words of a song, instrument
sports: match/game, league_table/standings, athlete/player, stadium/venue, training_plan/workout, referee
hotels: room/place to stay, guest, housekeeping_job/cleaning, rate/price per night, breakfast_order, key_card
estates: listing/house for sale, viewing, tenant/renter, lease/rental contract, valuation/worth of a home, broker/agent
cars: vehicle/car, repair/garage visit, tyre/wheel, inspection, insurance_card, mileage_log/kilometres driven
cities: permit/building permission, council_meeting, waste_pickup/garbage collection, parking_zone/where to park, streetlight, petition
courts: hearing, lawsuit/court case, verdict/judgement, juror, filing/legal document, fine/penalty
press: article/news story, headline, correspondent/reporter, press_photo/picture, subscription, correction
shops: product/item for sale, basket/shopping cart, discount/coupon, refund/money back, stock_level/inventory, supplier
factories: work_order/production job, machine_fault/broken machine, shift/who works when, part/component, quality_check, safety_report
hiring: vacancy/open job, candidate/applicant, interview, contract, payslip/salary, onboarding_task
software: repository/code base, pull_request/code change, build/pipeline run, bug/defect, release/new version, secret_scan
servers: host/machine, container, log_stream/logs, certificate, backup/copy of the data, alert_rule/alarm
mail: message/email, mailbox/inbox, attachment, contact/address book, signature, spam_filter/junk
chat: channel/chat room, thread/conversation, reaction/emoji, member, status_note, announcement
calendars: event/meeting, invitation, calendar, holiday/day off, room_booking/meeting room, time_zone
files: document/text file, folder/directory, spreadsheet/excel sheet, presentation/slides, archive/zip file, share_link
maps: place/location, route/directions, traffic_report/traffic jam, landmark/sight, coordinate/latitude and longitude, bus_stop
travel: itinerary/trip plan, visa/entry permit, excursion/day tour, travel_advice, rental_car, ferry/boat
charity: donation/gift of money, volunteer/helper, campaign/fundraiser, grant/funding, food_parcel, shelter_place
science: paper/publication, dataset, experiment/trial, sample, microscope_slot, citation/reference
museums: exhibit/artwork, exhibition/show, guided_tour, restoration/conservation work, ticket, archive_box
games: quest/mission, high_score/best result, avatar/character, tournament/competition, level, achievement
pets: animal/dog or cat, vaccination/shot, walk, adoption, feed_plan/diet, microchip
elections: ballot/vote, polling_place/where to vote, candidate_list/who is running, turnout, recount, constituency/district
space: satellite, launch/rocket start, orbit, telescope_image/picture of the sky, asteroid/near-earth object, mission_log
`;

/** Acts: what tools call them, what their summaries say of a thing, and how a request may say it. */
const ACTS = [
  { verb: "get", summary: "Retrieve one THING with all its details.", says: ["show me", "look up", "pull up"] },
  {
    verb: "list",
    summary: "List every THING, page by page.",
    says: ["give me an overview of each", "which are there:"],
  },
  { verb: "search", summary: "Find a THING by words, state or date.", says: ["find", "look for", "locate"] },
  { verb: "create", summary: "Create a new THING.", says: ["add", "set up", "make"] },
  { verb: "update", summary: "Change fields of an existing THING.", says: ["edit", "modify", "correct"] },
  { verb: "delete", summary: "Delete a THING permanently.", says: ["remove", "get rid of", "erase"] },
  { verb: "assign", summary: "Assign a THING to a person.", says: ["hand over to Ana", "give Ben charge of"] },
  { verb: "export", summary: "Export a THING as CSV or PDF.", says: ["download as a spreadsheet", "save to a pdf"] },
  { verb: "compare", summary: "Compare two of THING side by side.", says: ["tell the difference between", "contrast"] },
  { verb: "notify_about", summary: "Notify people about a THING.", says: ["tell everybody about", "send word of"] },
  { verb: "approve", summary: "Approve a THING that waits for a decision.", says: ["sign off", "accept"] },
  { verb: "archive", summary: "Archive a THING that is over.", says: ["put away", "file away the old"] },
  {
    verb: "count",
    summary: "Count each THING by period, with totals.",
    says: ["how many are there:", "total number of"],
  },
] as const;

const SERVICES = ["nimbo", "tarvel", "quillo", "ostra"] as const;
/** Of the trades' things, acts and services, so many tools; about a third of them are in no request's words at all. */
const MADE_TOOLS = 12_000;

interface Thing {
  readonly trade: string;
  readonly name: string;
  readonly called: string;
}

const THINGS: readonly Thing[] = TRADES.trim()
  .split("\n")
  .flatMap((line) => {
    const [trade = "", rest = ""] = line.split(": ");
    return rest.split(", ").map((thing) => {
      const [name = "", called = name.replaceAll("_", " ")] = thing.split("/");
      return { trade, name, called };
    });
  });

/** The tools, in a fixed order. */
export function madeTools(count = MADE_TOOLS): MadeTool[] {
  const tools: MadeTool[] = [];
  for (const service of SERVICES)
    for (const thing of THINGS)
      for (const act of ACTS) if (tools.length < count) tools.push(toolOf(service, thing, act));
  return tools;
}

/** So many requests, of one to three acts each. In half of them the service is named. */
export function madeRequests(count: number, seed: number): MadeRequest[] {
  const draw = seededRandom(seed);
  const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(draw() * values.length)];
  const isThere = new Set(madeTools().map(({ name }) => name));
  return Array.from({ length: count }, () => {
    const service = draw() < 0.5 ? pick(SERVICES) : undefined;
    const wanted = Array.from({ length: 1 + Math.floor(draw() * 3) }, () => ({ thing: pick(THINGS), act: pick(ACTS) }));
    const parts = wanted.map(({ thing, act }) => {
      const isNamed = draw() < NAMED_SHARE;
      return `${pick(act?.says ?? [])} the ${isNamed ? thing?.name.replaceAll("_", " ") : thing?.called}`;
    });
    const groups = wanted.map(({ thing, act }) => {
      const named = SERVICES.map((one) => `${one}_${thing?.trade}_${act?.verb}_${thing?.name}`).filter((name) =>
        isThere.has(name),
      );
      const asked = named.filter((name) => service !== undefined && name.startsWith(`${service}_`));
      return asked.length > 0 ? asked : named;
    });
    const of = service === undefined ? "" : ` in ${service}`;
    return { text: `Please ${parts.join(", then ")}${of}, I need it for ${pick(REASONS)}.`, groups };
  });
}

/** How many requests call a thing as its tools do. */
const NAMED_SHARE = 0.7;

const REASONS = ["my boss", "the meeting on Monday", "a friend from Oslo", "next week", "the yearly review"] as const;

/** The tools as a search reads them, and requests that name them by number. */
export function madeSet(
  count: number,
  seed: number,
): { readonly tools: readonly SearchableTool[]; readonly requests: readonly NumberedRequest[] } {
  const made = madeTools();
  const numbers = new Map(made.map(({ name }, number) => [name, number]));
  const tools = made.map(({ input, ...tool }): SearchableTool => {
    const properties = input["properties"] as Readonly<Record<string, { readonly description: string }>>;
    const parameters = Object.entries(properties).map(([name, { description }]) => ({ name, description }));
    return { ...tool, parameters };
  });
  const requests = madeRequests(count, seed).map(({ text, groups }) => ({
    text,
    groups: groups.map((group) => group.flatMap((name) => numbers.get(name) ?? [])),
  }));
  return { tools, requests };
}

function toolOf(service: string, { trade, name }: Thing, { verb, summary }: (typeof ACTS)[number]): MadeTool {
  const thing = name.replaceAll("_", " ");
  const properties: Record<string, unknown> = {
    [`${name}_id`]: { type: "string", description: `The id of the ${thing}` },
    since: { type: "string", format: "date", description: "Only what happened from this day on" },
    ...(verb === "assign" ? { person: { type: "string", description: "Who takes care of it" } } : {}),
    ...(verb === "list" || verb === "search" ? { limit: { type: "integer", description: "At most so many" } } : {}),
  };
  return {
    name: `${service}_${trade}_${verb}_${name}`,
    summary: summary.replace("THING", thing),
    toolbox: `${service}_${trade}`,
    category: "api",
    input: { type: "object", properties, required: [`${name}_id`] },
  };
}
