/** More questions about the documents of the first half, which weights were tuned on: with words of the text, and vague ones. */
import type { MoreQuestions } from "./made-document.ts";

export const ASKED_OF_TUNED: readonly MoreQuestions[] = [
  [
    "Lease of the Harbour Street office",
    "What is in the contract for the office at the harbour?",
    [
      "Harbour Street lease: how many years does it run?",
      "notice period for terminating the office lease",
      "How high is the security deposit?",
      "Is subletting allowed without the landlord's consent?",
    ],
  ],
  [
    "Travel policy",
    "What are the rules for travelling?",
    [
      "Economy or business class on long flights?",
      "hotel limit per night in Zurich",
      "Until when must receipts of a journey be handed in?",
      "Do I have to take the train for 400 kilometres?",
    ],
  ],
  [
    "Manual of the espresso machine Aroma 3",
    "How does the espresso machine work?",
    ["descaling the Aroma after how many cups", "water hardness for the espresso machine", "Aroma 3 error E4"],
  ],
  [
    "Onboarding of new developers",
    "I am a new developer, what do I need to know?",
    [
      "Who hands over the access card on the first day?",
      "access to the monorepo atlas",
      "How many approvals before a change can be merged?",
      "When does a new developer join the on-call rotation?",
    ],
  ],
  [
    "Backup concept of the database Orion",
    "How is the Orion database backed up?",
    [
      "When does the full backup run?",
      "How many days are backups kept?",
      "duration of the last restore exercise",
      "Where is the encryption key of the backups?",
    ],
  ],
  [
    "Insurance policy for the delivery vans",
    "What does the insurance of the vans say?",
    [
      "up to what amount is damage to other vehicles covered",
      "deductible for collisions",
      "What is the minimum age of insured drivers?",
    ],
  ],
  [
    "Minutes of the board meeting in March",
    "What did the board decide in March?",
    [
      "budget for warehouse software",
      "Is there still a hiring freeze in support?",
      "dividend for the past year",
      "date of the next board meeting",
    ],
  ],
  [
    "Allergen list of the canteen",
    "Where do I find the allergens of the food?",
    ["Which soup contains celery?", "Does the sourdough bread contain gluten?", "hazelnuts in brownies"],
  ],
  [
    "Warranty terms of Nordlicht bicycles",
    "What is covered by the bicycle warranty?",
    [
      "guarantee on the frame of a Nordlicht bike",
      "battery capacity after 500 charges",
      "Are brake pads excluded from the warranty?",
      "How do I make a warranty claim at the dealer?",
    ],
  ],
  [
    "Data protection notice for applicants",
    "How do we treat data of applicants?",
    [
      "deletion of documents of rejected applicants",
      "Does the works council see applications?",
      "To which address does an applicant write for a copy of the data?",
    ],
  ],
  [
    "Fire safety rules of the plant",
    "fire rules plant",
    [
      "Are we allowed to wedge fire doors open?",
      "assembly point in an alarm",
      "inspection interval of fire extinguishers",
      "using the lift during an alarm",
    ],
  ],
  [
    "Contract with the cleaning company Blank",
    "What did we agree on with the cleaning company?",
    ["When are the floors mopped?", "monthly fee of Blank", "How many keys did the cleaning company receive?"],
  ],
  [
    "Style guide for product texts",
    "How should product texts be written?",
    ["Do we address customers formally?", "writing numbers as words", "How many words may a product description have?"],
  ],
  [
    "Report on the outage of 12 February",
    "What happened in the outage in February?",
    [
      "Was an expired certificate the cause of the outage?",
      "For how many minutes could customers not sign in?",
      "automatic renewal of certificates",
    ],
  ],
  [
    "Price list for workshops",
    "What do the workshops cost?",
    [
      "How much cheaper is an online workshop?",
      "price of a half-day workshop for eight people",
      "Can a workshop be cancelled free of charge?",
      "cost of printed material",
    ],
  ],
  [
    "Guide to the solar panels on hall B",
    "Tell me about the solar panels.",
    ["peak output of the panels", "red inverter", "What do we get per kilowatt hour sold to the grid?"],
  ],
  [
    "Rules for working from home",
    "home office rules",
    [
      "How many days a week may I work from home?",
      "Does the company provide a chair for working at home?",
      "approval for working from another country",
    ],
  ],
  [
    "Cheese production at the Alm dairy",
    "How is the cheese made?",
    [
      "within how many hours is raw milk processed",
      "temperature for ripening the wheels",
      "brushing the rind with brine",
    ],
  ],
  [
    "Terms of the supplier Kestrel Metals",
    "conditions of our metal supplier",
    [
      "delivery time of steel sheets",
      "What is deducted for a delay by Kestrel Metals?",
      "When are Kestrel invoices due?",
      "reporting defects to the supplier",
    ],
  ],
  [
    "Emergency numbers and contacts",
    "Who do I call in an emergency?",
    ["extension of the helpdesk", "On which weekday is the company doctor in?", "phone caretaker Olsen gate"],
  ],
  [
    "Evaluation of the customer survey",
    "What were the results of the survey?",
    ["percentage of customers that would recommend us", "most frequent complaint", "Did customers ask for a chat?"],
  ],
  [
    "Instruction for the packing line",
    "How do I operate the packing line?",
    [
      "pressure before starting the packing line",
      "What to do in a jam of cartons?",
      "after how many cartons are labels changed",
    ],
  ],
  [
    "Statutes of the sports club",
    "What do the statutes of the club say?",
    [
      "Until what time may members use the gym?",
      "notice for leaving the club",
      "annual fee children",
      "Who elects the board?",
    ],
  ],
  [
    "Moving plan of the Leipzig office",
    "How will the move in Leipzig go?",
    ["On which weekend is the move?", "boxes per employee", "network test in the new building"],
  ],
  [
    "Test report of the pump P-20",
    "results of the pump test",
    [
      "How many kilowatts does the P-20 motor draw?",
      "litres per minute at four bar",
      "sound level of the pump in decibels",
      "When did the shaft seal leak?",
    ],
  ],
  [
    "Scholarship rules of the foundation",
    "Tell me how the scholarship works.",
    [
      "age limit for engineering students",
      "How much is the scholarship a month?",
      "closing date for applications to the foundation",
    ],
  ],
  [
    "Maintenance of the elevator",
    "elevator service",
    ["When is the elevator inspected?", "changing the hydraulic oil", "How quickly does Lift24 free trapped people?"],
  ],
  [
    "Newsletter plan for the autumn",
    "What is planned for the newsletters?",
    ["topic of the October newsletter", "What time on Thursday do newsletters go out?", "How much off with LEAF10?"],
  ],
  [
    "Laboratory safety",
    "How do I work safely in the laboratory?",
    ["Are goggles required in the lab?", "storage of acids", "splash in the eye: rinse for how many minutes?"],
  ],
  [
    "Merger of the two warehouses",
    "Why are the warehouses merged?",
    [
      "Are slow-moving goods sent to Halle or Erfurt?",
      "positions offered to employees in Erfurt",
      "yearly savings of the merger",
    ],
  ],
];
