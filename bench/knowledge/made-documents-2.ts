/** Made-up documents and questions about them, in other words than the text. The second half: held out from tuning. */
import type { MadeDocument } from "./made-document.ts";
import { MORE_HELD_OUT } from "./more-documents-2.ts";

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
      [
        "Inventions",
        "Inventions made during working hours belong to the company.",
        "Who owns what I develop on the job?",
      ],
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
      ["Loss", "A reader who loses a book replaces it.", "What happens if I cannot find the book any more?"],
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
  ...MORE_HELD_OUT,
];
