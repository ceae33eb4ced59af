/** Made-up documents and questions about them, in other words than the text. The first half: weights were tuned on it. */
import type { MadeDocument } from "./made-document.ts";
import { MORE_TUNED } from "./more-documents-1.ts";

export const TUNED: readonly MadeDocument[] = [
  [
    "Lease of the Harbour Street office",
    [
      [
        "Term",
        "The lease begins on 1 May 2024 and runs for five years.",
        "When does our tenancy at Harbour Street end?",
      ],
      [
        "Termination",
        "Either party may terminate with a notice period of three months to the end of a quarter.",
        "How early must we give notice to get out of the Harbour Street contract?",
      ],
      [
        "Deposit",
        "The tenant pays a security deposit of three monthly rents, which bears no interest.",
        "How much money does the landlord hold as a guarantee?",
      ],
      [
        "Subletting",
        "Rooms may be sublet only with the written consent of the landlord.",
        "Can we let another company use a spare room?",
      ],
    ],
  ],
  [
    "Travel policy",
    [
      ["Flights", "Flights of less than six hours are booked in economy class.", "May I fly business to Madrid?"],
      [
        "Hotels",
        "A room may cost up to 140 euros a night; in London and Zurich up to 210.",
        "What is the most I can spend on accommodation in Switzerland?",
      ],
      [
        "Receipts",
        "Receipts are handed in within thirty days after the journey, otherwise they are not reimbursed.",
        "How long do I have to claim expenses after a trip?",
      ],
      [
        "Trains",
        "For distances below 500 kilometres the train is preferred to the plane.",
        "When should we go by rail?",
      ],
    ],
  ],
  [
    "Manual of the espresso machine Aroma 3",
    [
      [
        "Descaling",
        "Descale the machine after 200 cups or when the orange lamp blinks.",
        "What does the flashing orange light on the coffee maker mean?",
      ],
      [
        "Water",
        "Use filtered water with a hardness below eight degrees.",
        "Which kind of water is good for the Aroma?",
      ],
      [
        "Errors",
        "Error E4 reports that the brewing unit is not locked in place.",
        "The display says E4. What is wrong?",
      ],
    ],
  ],
  [
    "Onboarding of new developers",
    [
      [
        "First day",
        "On the first day the buddy hands over the laptop and the access card.",
        "Who gives a newcomer their computer?",
      ],
      [
        "Repositories",
        "All source code is in the monorepo called atlas; access is granted by the platform team.",
        "Who do I ask for permission to the code?",
      ],
      [
        "Reviews",
        "Each change needs the approval of two colleagues before it is merged.",
        "How many people have to look at a pull request?",
      ],
      [
        "On-call",
        "New developers join the on-call rotation after three months.",
        "When will I first have to answer pagers?",
      ],
    ],
  ],
  [
    "Backup concept of the database Orion",
    [
      [
        "Schedule",
        "A full backup is taken every Sunday at 02:00, incremental ones every hour.",
        "How often is Orion saved completely?",
      ],
      [
        "Retention",
        "Backups are kept for 35 days, those of the first of a month for seven years.",
        "How far back can we restore data of last spring?",
      ],
      [
        "Restore",
        "A restore of the whole database took four hours in the last exercise.",
        "How long would we be down if Orion was lost?",
      ],
      [
        "Encryption",
        "Backups are encrypted with AES-256; the key is in the vault of the security team.",
        "Where is the secret for reading the saved copies?",
      ],
    ],
  ],
  [
    "Insurance policy for the delivery vans",
    [
      [
        "Coverage",
        "Damage to other vehicles is covered up to ten million euros.",
        "What is the limit of the liability cover?",
      ],
      [
        "Deductible",
        "For glass damage the deductible is 150 euros, for collisions 500.",
        "What do we pay ourselves when a windscreen breaks?",
      ],
      [
        "Drivers",
        "Only drivers of at least 23 years with two years of experience are insured.",
        "Can our twenty-year-old apprentice take the van?",
      ],
    ],
  ],
  [
    "Minutes of the board meeting in March",
    [
      [
        "Budget",
        "The board approved additional 80,000 euros for the warehouse software.",
        "How much extra money did the directors grant for the storage system?",
      ],
      ["Hiring", "The hiring freeze is lifted for the support department alone.", "Which team may recruit again?"],
      ["Dividend", "No dividend will be paid for the past year.", "Do shareholders receive a payout?"],
      [
        "Next meeting",
        "The next meeting takes place on 18 June in Bremen.",
        "Where will the directors come together next?",
      ],
    ],
  ],
  [
    "Allergen list of the canteen",
    [
      ["Soups", "The lentil soup contains celery and mustard.", "What should somebody with a mustard allergy not eat?"],
      ["Bread", "The sourdough bread is free of milk, but not of gluten.", "Is the bread suitable without dairy?"],
      ["Desserts", "The brownies contain hazelnuts and eggs.", "Which sweet dish has nuts?"],
    ],
  ],
  [
    "Warranty terms of Nordlicht bicycles",
    [
      ["Frame", "The manufacturer guarantees the frame for ten years.", "How long is the chassis of the bike covered?"],
      [
        "Battery",
        "The battery is guaranteed to have 70 percent of its capacity after 500 charging cycles.",
        "Can I complain if the accu is weak after two years of use?",
      ],
      ["Exclusions", "Wearing parts such as brake pads and tyres are excluded.", "Are new tires paid for?"],
      [
        "Claims",
        "Claims are made at the dealer who sold the bicycle, with the invoice.",
        "Where do I go with a broken bike?",
      ],
    ],
  ],
  [
    "Data protection notice for applicants",
    [
      [
        "Storage",
        "Documents of rejected applicants are deleted six months after the decision.",
        "When are CVs of people we turned down removed?",
      ],
      [
        "Recipients",
        "Applications are seen by the hiring manager and the works council.",
        "Who gets to read a job application?",
      ],
      [
        "Rights",
        "Applicants may ask for a copy of their data at privacy@example.com.",
        "How can a candidate find out what we know about them?",
      ],
    ],
  ],
  [
    "Fire safety rules of the plant",
    [
      ["Doors", "Fire doors are never wedged open.", "Can I keep the heavy door ajar with a chair?"],
      [
        "Assembly",
        "In an alarm everybody gathers at the car park behind hall C.",
        "Where do we meet when the siren sounds?",
      ],
      [
        "Extinguishers",
        "Extinguishers are inspected every two years by an outside company.",
        "How frequently are the red bottles checked?",
      ],
      ["Lifts", "Lifts must not be used during an alarm.", "May I take the elevator if there is a fire?"],
    ],
  ],
  [
    "Contract with the cleaning company Blank",
    [
      ["Services", "Floors are mopped daily, windows are cleaned once a quarter.", "How often are the windows washed?"],
      ["Price", "The monthly fee is 2,350 euros plus value added tax.", "What does the cleaner cost us?"],
      [
        "Keys",
        "The company receives four keys and reports a loss within 24 hours.",
        "What happens if Blank loses a key?",
      ],
    ],
  ],
  [
    "Style guide for product texts",
    [
      [
        "Tone",
        "We address customers informally and avoid superlatives.",
        "Are words like best and greatest allowed in descriptions?",
      ],
      ["Numbers", "Numbers up to twelve are written as words.", "Do I write 7 as a digit?"],
      ["Length", "A product description has at most 90 words.", "What is the maximum size of a text about an item?"],
    ],
  ],
  [
    "Report on the outage of 12 February",
    [
      [
        "Cause",
        "An expired certificate of the load balancer stopped all requests.",
        "Why was the site unreachable in February?",
      ],
      ["Duration", "Customers could not sign in for 47 minutes.", "How long were users locked out?"],
      [
        "Measures",
        "Certificates are now renewed automatically 30 days before their end.",
        "What did we change so that it does not happen again?",
      ],
    ],
  ],
  [
    "Price list for workshops",
    [
      ["Online", "An online workshop is a fifth cheaper than one on site.", "Do we save money with a course by video?"],
      [
        "Half day",
        "A half-day workshop for up to eight people costs 900 euros.",
        "What do four hours of training cost for a small group?",
      ],
      [
        "Cancellation",
        "Cancelling up to fourteen days before is free; later half of the price is due.",
        "What is charged when a client calls off a course a week before?",
      ],
      ["Material", "Printed material is 12 euros per participant.", "How expensive are handouts?"],
    ],
  ],
  ...MORE_TUNED,
];
