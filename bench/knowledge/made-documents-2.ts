/** Made-up documents and questions about them, in other words than the text. The second half: held out from tuning. */
import type { MadeDocument } from "./made-document.ts";

export const HELD_OUT: readonly MadeDocument[] = [
  [
    "Employment contract template",
    [
      [
        "Probation",
        "The first six months are a probationary period, in which two weeks' notice suffices.",
        "How fast can a new hire be let go?",
      ],
      ["Holidays", "Full-time staff have 28 days of paid leave a year.", "How much vacation do people get?"],
      [
        "Side jobs",
        "A second job must be reported and must not compete with ours.",
        "May I also work elsewhere in the evenings?",
      ],
      ["Inventions", "Inventions made at work belong to the company.", "Who owns what I develop on the job?"],
    ],
  ],
  [
    "Manual of the heat pump Boreas",
    [
      [
        "Settings",
        "In winter the flow temperature is set to 38 degrees.",
        "Which warmth should the water have in the cold season?",
      ],
      [
        "Filter",
        "The air filter is washed every three months with lukewarm water.",
        "How do I clean the screen of the Boreas?",
      ],
      ["Alarm", "Alarm A17 means that the outdoor unit is iced up.", "What does code A17 tell me?"],
    ],
  ],
  [
    "Payment terms of the web shop",
    [
      [
        "Methods",
        "Customers pay by card, by invoice or with their online wallet.",
        "Can buyers settle with a credit card?",
      ],
      [
        "Reminders",
        "A first reminder is sent after ten days, a second one with a fee of five euros.",
        "What does it cost a customer to ignore the first dunning letter?",
      ],
      [
        "Refunds",
        "Refunds are made within five working days after the return arrives.",
        "How quickly do people get their money back?",
      ],
      [
        "Installments",
        "Orders above 300 euros can be paid in six installments.",
        "Is it possible to spread the payment over half a year?",
      ],
    ],
  ],
  [
    "Minutes of the works council in May",
    [
      [
        "Shifts",
        "The night shift begins at ten instead of nine from July on.",
        "When does late work start after the change?",
      ],
      ["Parking", "Twenty parking spaces get charging stations for electric cars.", "Where can I plug in my Tesla?"],
      ["Summer party", "The summer party is moved to the second Friday of August.", "When do we celebrate together?"],
    ],
  ],
  [
    "Architecture of the billing service",
    [
      ["Storage", "Invoices are stored in Postgres, their PDFs in a bucket.", "Which database has the bills?"],
      [
        "Queue",
        "Every event passes through a queue and is retried five times.",
        "How often is a failed message attempted again?",
      ],
      [
        "Rates",
        "Exchange rates are read from the central bank at four in the afternoon.",
        "Where do currency values come from?",
      ],
      ["Owners", "The team Heron owns the service and answers alarms.", "Who is responsible when billing breaks?"],
    ],
  ],
  [
    "Care of the office plants",
    [
      ["Repotting", "Plants get new soil and a larger pot every second spring.", "When is the earth exchanged?"],
      [
        "Water",
        "The ficus gets half a litre on Mondays, the cactus a sip once a month.",
        "How often does the prickly one need a drink?",
      ],
      ["Light", "Ferns stand in the shade of the north side.", "Which plants do not like the sun?"],
      [
        "Pests",
        "Against spider mites the leaves are showered and sprayed with rape oil.",
        "How do we fight tiny insects on the greenery?",
      ],
    ],
  ],
  [
    "Customs guide for exports to Norway",
    [
      [
        "Papers",
        "Each consignment needs a commercial invoice and a proof of origin.",
        "Which documents go with a parcel to Oslo?",
      ],
      [
        "Limits",
        "Goods worth less than 350 crowns are free of duty.",
        "Up to what value is nothing charged at the border?",
      ],
      [
        "Wood",
        "Pallets of wood must be heat treated and stamped.",
        "Are there rules for the timber under the freight?",
      ],
    ],
  ],
  [
    "Rules of the company library",
    [
      ["Location", "The library is on the third floor next to the kitchen.", "Where can I find the books?"],
      ["Loans", "Books are lent for four weeks and can be extended once.", "How long may I keep a volume?"],
      [
        "Orders",
        "Wishes for new titles are collected until the 20th of a month.",
        "By when do I have to suggest something to buy?",
      ],
      ["Loss", "Whoever loses a book replaces it.", "What happens if I cannot find the book any more?"],
    ],
  ],
  [
    "Recipe collection of the bakery Morgenrot",
    [
      ["Rye bread", "The sourdough rests for sixteen hours before baking.", "How much time does the leaven need?"],
      [
        "Croissants",
        "The butter is folded in three times at four degrees.",
        "How cold must it be when the fat is worked into the dough?",
      ],
      [
        "Oven",
        "The oven is heated to 250 degrees and lowered to 210 after ten minutes.",
        "At which temperature do loaves go in?",
      ],
    ],
  ],
  [
    "Security policy for passwords",
    [
      ["Length", "Passwords have at least fourteen characters.", "What is the minimum size of a secret word?"],
      ["Second factor", "A second factor is required for mail and the wiki.", "Where do I need my phone to sign in?"],
      ["Sharing", "Passwords are never shared, not even with the helpdesk.", "May I tell my login to support?"],
      [
        "Theft",
        "A stolen device is reported to security within one hour.",
        "My notebook was taken. How soon must I say so?",
      ],
    ],
  ],
  [
    "Offer for the new roof",
    [
      [
        "Price",
        "The roof of clay tiles costs 48,700 euros including scaffolding.",
        "How expensive is covering the house?",
      ],
      ["Time", "The work takes three weeks in dry weather.", "How long will the craftsmen be there?"],
      [
        "Guarantee",
        "Leaks are repaired free of charge for eight years.",
        "Who pays if it drips through after five years?",
      ],
    ],
  ],
  [
    "Study on commuting",
    [
      [
        "Modes",
        "Fifty-two percent come by car, thirty by train, the rest by bike or on foot.",
        "What part of the staff drives?",
      ],
      ["Time", "The average way to work takes 37 minutes.", "How long do people travel in the morning?"],
      [
        "Wishes",
        "Showers at the office would bring most people to cycling.",
        "What would make more colleagues ride a bicycle?",
      ],
    ],
  ],
  [
    "Operating rules of the sauna",
    [
      [
        "Opening",
        "The sauna is open from four to ten, on Wednesdays for women only.",
        "On which day are men not admitted?",
      ],
      ["Towels", "A towel lies under the whole body.", "Do I have to put something on the bench?"],
      [
        "Health",
        "Persons with heart disease should ask their doctor before.",
        "Is it dangerous with cardiac problems?",
      ],
    ],
  ],
  [
    "Agreement with the freelancer Ines Duarte",
    [
      ["Rate", "She is paid 85 euros an hour, at most 120 hours a quarter.", "What does Ines charge?"],
      ["Copyright", "All drawings become our property when they are paid.", "When do her pictures belong to us?"],
      [
        "Secrecy",
        "Secrets are kept for two years after the end of the work.",
        "How long must she stay silent afterwards?",
      ],
    ],
  ],
  [
    "Quality report of the bottling plant",
    [
      ["Fill level", "Of 10,000 bottles, 14 were filled too low.", "How many containers had not enough liquid?"],
      ["Caps", "Caps of the supplier Tapon leaked three times as often as others.", "Whose closures are the worst?"],
      [
        "Water use",
        "For each litre of lemonade 1.8 litres of water are used.",
        "How much water does making the drink take?",
      ],
    ],
  ],
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
