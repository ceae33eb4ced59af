/** More questions about the documents of the second half, which is held out from tuning: with words of the text, and vague ones. */
import type { MoreQuestions } from "./made-document.ts";

export const ASKED_OF_HELD_OUT: readonly MoreQuestions[] = [
  [
    "Employment contract template",
    "What do our employment contracts contain?",
    [
      "notice during the probationary period",
      "How many days of leave do full-time employees have?",
      "Do I need to report a second job?",
      "inventions made in working hours",
    ],
  ],
  [
    "Manual of the heat pump Boreas",
    "How do I use the heat pump?",
    ["flow temperature in winter", "washing the air filter", "Boreas alarm A17"],
  ],
  [
    "Payment terms of the web shop",
    "How do customers of the web shop pay?",
    [
      "Is payment by invoice possible?",
      "fee of the second reminder",
      "How many working days does a refund take?",
      "From what order value are installments offered?",
    ],
  ],
  [
    "Minutes of the works council in May",
    "What did the works council talk about?",
    [
      "When does the night shift begin from July?",
      "parking spaces with charging stations",
      "new date of the summer party",
    ],
  ],
  [
    "Architecture of the billing service",
    "How is the billing service built?",
    [
      "Where are the PDFs of invoices stored?",
      "retries of events in the queue",
      "At what time are exchange rates read?",
      "Which team owns the billing service?",
    ],
  ],
  [
    "Care of the office plants",
    "What do the plants in the office need?",
    [
      "repotting plants in spring",
      "How much water does the ficus get?",
      "Where should ferns be placed?",
      "spider mites on leaves",
    ],
  ],
  [
    "Customs guide for exports to Norway",
    "exporting to Norway",
    ["Is a proof of origin needed for a consignment?", "duty limit in crowns", "Must wooden pallets be heat treated?"],
  ],
  [
    "Rules of the company library",
    "How does the library work?",
    [
      "Which floor is the library on?",
      "How often can a loan be extended?",
      "wishes for new titles",
      "Do I have to replace a lost book?",
    ],
  ],
  [
    "Recipe collection of the bakery Morgenrot",
    "recipes of Morgenrot",
    [
      "resting hours of the sourdough",
      "How many times is butter folded into croissants?",
      "Is the oven lowered after ten minutes?",
    ],
  ],
  [
    "Security policy for passwords",
    "What is our policy on passwords?",
    [
      "minimum characters of a password",
      "Does the wiki require a second factor?",
      "sharing a password with the helpdesk",
      "reporting a stolen device",
    ],
  ],
  [
    "Offer for the new roof",
    "What was offered for the roof?",
    [
      "price of the roof with scaffolding",
      "How many weeks does the roof work take?",
      "Are leaks repaired free of charge?",
    ],
  ],
  [
    "Study on commuting",
    "How do our people commute?",
    ["percent by car and train", "average time to work in minutes", "Would showers bring people to cycling?"],
  ],
  [
    "Operating rules of the sauna",
    "sauna rules",
    [
      "When is the sauna open for women only?",
      "towel under the body",
      "Should I ask a doctor because of heart disease?",
    ],
  ],
  [
    "Agreement with the freelancer Ines Duarte",
    "What is agreed with Ines Duarte?",
    [
      "hourly rate of the freelancer",
      "When do the drawings become our property?",
      "How many years are secrets kept after the work?",
    ],
  ],
  [
    "Quality report of the bottling plant",
    "How good is the bottling plant?",
    ["bottles filled too low", "leaking caps supplier", "litres of water per litre of lemonade"],
  ],
  [
    "Guide for the intercom",
    "How does the intercom work?",
    [
      "Opening the door from the telephone",
      "When does the administration enter new names?",
      "Is the bell silent at night?",
    ],
  ],
  [
    "Marketing plan for the hiking shoes",
    "What is the plan for marketing the hiking shoes?",
    [
      "Do we address people over fifty?",
      "share of the budget for magazines and radio",
      "How many pairs should be sold by Christmas?",
    ],
  ],
  [
    "House rules of the student residence",
    "What is allowed in the residence?",
    ["quiet hours at night", "How many nights may guests stay?", "cost of a wash with the house card"],
  ],
  [
    "Accident report of the forklift",
    "What happened with the forklift?",
    ["Did the driver turn with raised forks?", "How many pallets of paint fell?", "lowering the forks while driving"],
  ],
  [
    "Loan agreement with the Elbe bank",
    "What are the terms of the loan from the Elbe bank?",
    [
      "How many euros does the bank lend for the hall?",
      "fixed interest rate until 2031",
      "Is the land in Torgau a collateral?",
      "early repayment per year",
    ],
  ],
  [
    "Menu plan for the conference",
    "What will there be to eat at the conference?",
    ["Is there salmon on Monday?", "ordering vegan meals", "times of the coffee breaks"],
  ],
  [
    "Calibration of the scales",
    "calibrating scales",
    ["How many months between calibrations?", "tolerated deviation in grams", "meaning of the green sticker"],
  ],
  [
    "Project plan of the ticket system",
    "When do we get the new ticket system?",
    ["pilot users in the sales department", "How many minutes is the training?", "switching off the old system"],
  ],
  [
    "Beekeeping at the headquarters",
    "Tell me about our beekeeping.",
    ["How many hives are on the roof?", "kilograms of honey in July", "emergency kit for an allergy"],
  ],
  [
    "Water damage in the archive",
    "What was the water damage?",
    ["When did the pipe burst?", "frozen personnel files", "How much does the insurance pay?"],
  ],
  [
    "Timetable of the shuttle bus",
    "When does the shuttle run?",
    [
      "Is the bus free with a staff card?",
      "morning departures from the station",
      "last bus in the evening",
      "taking bicycles on the shuttle",
    ],
  ],
  [
    "Guidelines for interviews",
    "How should we conduct interviews?",
    [
      "When are interview notes destroyed?",
      "May we ask questions about family plans?",
      "Who conducts an interview?",
      "within how many days do candidates get feedback",
    ],
  ],
  [
    "Rental conditions of the camper Wanda",
    "What do I have to know before renting the camper?",
    ["kilometres included per day", "cleaning fee for dogs", "Do I return the camper with a full tank?"],
  ],
  [
    "Energy audit of the swimming pool",
    "What did the energy audit find?",
    [
      "cost of replacing the lamps",
      "How much heat is lost at night?",
      "electricity of new pumps",
      "In how many years do the measures pay off?",
    ],
  ],
  [
    "Agenda of the research retreat",
    "What happens at the retreat?",
    [
      "In which monastery is the retreat?",
      "minutes for presenting the results of a group",
      "Saturday hike to the rivers",
    ],
  ],
];
