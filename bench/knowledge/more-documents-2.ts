/** The second part of `made-documents-2.ts`. */
import type { MadeDocument } from "./made-document.ts";

export const MORE_HELD_OUT: readonly MadeDocument[] = [
  [
    "Guide for the intercom",
    [
      ["Opening", "Press star and 5 to open the door from the telephone.", "Which buttons unlock the entrance?"],
      [
        "Names",
        "New names are entered by the administration on the first of the month.",
        "When is the bell plate updated?",
      ],
      ["Night", "Between ten and six the bell is silent and a lamp blinks.", "Why do I not hear visitors late?"],
    ],
  ],
  [
    "Marketing plan for the hiking shoes",
    [
      ["Audience", "We address people over fifty who walk at weekends.", "Who should buy the boots?"],
      ["Channels", "Half of the budget goes to magazines, a third to radio.", "Where do we spend most on advertising?"],
      [
        "Goal",
        "By Christmas 12,000 pairs are to be sold.",
        "How many items do we want to have sold at the end of the year?",
      ],
    ],
  ],
  [
    "House rules of the student residence",
    [
      ["Quiet", "From eleven at night until seven quiet is kept.", "Until when may I make music?"],
      [
        "Guests",
        "Guests may stay for three nights; longer stays are announced.",
        "Can my brother sleep here for a week?",
      ],
      ["Laundry", "A wash costs 2.50 euros, paid with the house card.", "How much do I pay to clean my clothes?"],
    ],
  ],
  [
    "Accident report of the forklift",
    [
      ["Course", "The driver turned with raised forks and hit a shelf.", "How did the collision in the store happen?"],
      ["Damage", "Twelve pallets of paint fell; nobody was hurt.", "What was destroyed?"],
      [
        "Consequence",
        "Forks now have to be lowered below thirty centimetres while driving.",
        "Which new rule do truck drivers follow?",
      ],
    ],
  ],
  [
    "Loan agreement with the Elbe bank",
    [
      ["Amount", "The bank lends 1.2 million euros for the new hall.", "How big is the credit?"],
      [
        "Interest",
        "The rate is fixed at 3.4 percent until 2031.",
        "What do we pay for borrowing until the beginning of the thirties?",
      ],
      ["Collateral", "The land in Torgau serves as collateral.", "What does the bank get if we cannot repay?"],
      ["Repayment", "Up to five percent may be repaid early each year.", "Can we pay off some of it ahead of time?"],
    ],
  ],
  [
    "Menu plan for the conference",
    [
      ["Monday", "On Monday there is potato soup, and salmon with rice.", "On which day is fish served?"],
      [
        "Vegan",
        "Vegan meals are ordered at the registration desk until noon.",
        "How do I get food without animal products?",
      ],
      ["Coffee", "Coffee breaks are at half past ten and at three.", "When can participants have a hot drink?"],
    ],
  ],
  [
    "Calibration of the scales",
    [
      [
        "Interval",
        "The scales are calibrated every six months by the Institute for Weights.",
        "Who checks that we weigh right?",
      ],
      ["Tolerance", "A deviation of two grams per kilogram is tolerated.", "How inexact may they be?"],
      ["Marking", "A green sticker shows the date of the next calibration.", "Where do I see when the device is due?"],
    ],
  ],
  [
    "Project plan of the ticket system",
    [
      ["Pilot", "The pilot runs with thirty users from the sales department.", "Who tries the new software first?"],
      ["Training", "Each team has a training of ninety minutes.", "How long do people sit in a course?"],
      ["Old system", "The old system is switched off on 30 November.", "When does the previous tool disappear?"],
    ],
  ],
  [
    "Beekeeping at the headquarters",
    [
      ["Hives", "Six hives stand on the roof of building 2.", "Where do the bees live?"],
      [
        "Harvest",
        "In July about ninety kilograms of honey are harvested.",
        "How much sweet stuff do we get in summer?",
      ],
      [
        "Stings",
        "People with an allergy find an emergency kit at the reception.",
        "Where is the medicine when somebody was stung?",
      ],
    ],
  ],
  [
    "Water damage in the archive",
    [
      ["Cause", "A pipe burst above shelf 14 on the night of 3 January.", "Why did the files get wet?"],
      [
        "Files",
        "Personnel files from 1998 to 2003 were frozen and are being dried.",
        "Which records were rescued by cold?",
      ],
      ["Costs", "The insurance pays 22,000 of the 25,000 euros.", "How much of the bill do we bear?"],
    ],
  ],
  [
    "Timetable of the shuttle bus",
    [
      ["Fare", "The ride is free with the staff card.", "What do employees pay for the transfer?"],
      [
        "Morning",
        "The bus leaves the station at 7:10, 7:40 and 8:10.",
        "When can I ride from the train to the plant early in the day?",
      ],
      ["Evening", "The last bus back leaves at 19:30.", "How late can I stay and still be driven home?"],
      ["Bicycles", "Bicycles are carried if there is room.", "Can I take my two-wheeler along?"],
    ],
  ],
  [
    "Guidelines for interviews",
    [
      [
        "Notes",
        "Notes of a conversation are destroyed when the position is filled.",
        "What happens with what we wrote down about somebody?",
      ],
      ["Questions", "Questions about family plans and illnesses are not allowed.", "What must we not ask a candidate?"],
      [
        "Panel",
        "Two people conduct each interview, one of them from another department.",
        "How many of us sit opposite an applicant?",
      ],
      ["Feedback", "Candidates hear from us within five days.", "How soon do we get back to somebody?"],
    ],
  ],
  [
    "Rental conditions of the camper Wanda",
    [
      [
        "Mileage",
        "Two hundred kilometres a day are included; each further one costs 0.28 euros.",
        "What do I pay if we drive a lot?",
      ],
      ["Pets", "Dogs may come along for a cleaning fee of forty euros.", "Is it possible to bring our terrier?"],
      [
        "Return",
        "The camper is returned clean, with a full tank and an empty toilet.",
        "In which state do we give it back?",
      ],
    ],
  ],
  [
    "Energy audit of the swimming pool",
    [
      [
        "Lamps",
        "Replacing the lamps by light-emitting diodes costs 9,000 euros.",
        "How expensive is better lighting of the baths?",
      ],
      [
        "Losses",
        "Sixty percent of the heat is lost at night because the basin is not covered.",
        "Why do we waste so much warmth?",
      ],
      ["Pumps", "New pumps would use a third less electricity.", "How much current could modern circulation save?"],
      [
        "Payback",
        "All measures pay for themselves within seven years.",
        "After what time is the investment earned back?",
      ],
    ],
  ],
  [
    "Agenda of the research retreat",
    [
      ["Place", "The retreat takes place in a monastery near Passau.", "Where do the scientists go?"],
      ["Talks", "Each group presents its results in twelve minutes.", "How much time does a team have to speak?"],
      ["Hike", "On Saturday afternoon there is a hike to the three rivers.", "What do we do for fun at the weekend?"],
    ],
  ],
];
