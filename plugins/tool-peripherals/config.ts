import { Type, type Static } from "typebox";

const Line = Type.Object(
  {
    offset: Type.Integer({ minimum: 0, maximum: 65_535, description: "Number of the line on its chip." }),
    direction: Type.Union([Type.Literal("in"), Type.Literal("out")], {
      description: "Only a line that is `out` is ever written to.",
    }),
    initial: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1,
        description: "Value that an output takes when it is claimed; 0 if left out.",
      }),
    ),
    active_low: Type.Optional(
      Type.Boolean({ description: "True: 1 means a low voltage, as with a button that connects to ground." }),
    ),
    bias: Type.Optional(
      Type.Union([Type.Literal("pull-up"), Type.Literal("pull-down"), Type.Literal("off")], {
        description: "What holds an input while nothing drives it; left out: as it is.",
      }),
    ),
  },
  { default: {} },
);

/**
 * `[peripherals.<name>]`; which keys go with which kind is checked in settings.ts, where it can be
 * said in a sentence.
 */
export const config = Type.Object({
  peripherals: Type.Record(
    Type.String(),
    Type.Object(
      {
        kind: Type.Union([Type.Literal("serial"), Type.Literal("gpio")], {
          description: "A serial port, or lines of a GPIO chip.",
        }),
        path: Type.Optional(
          Type.String({
            minLength: 1,
            description: "serial: the port, such as /dev/ttyUSB0 or better a name in /dev/serial/by-id.",
          }),
        ),
        baud: Type.Optional(
          Type.Integer({
            minimum: 50,
            maximum: 4_000_000,
            description: "serial: speed; 115200 if left out.",
          }),
        ),
        delimiter: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 16,
            description: "serial: ends each message, both ways; a line feed if left out.",
          }),
        ),
        timeout_seconds: Type.Optional(
          Type.Number({
            exclusiveMinimum: 0,
            maximum: 600,
            description: "serial: how long an answer is waited for; 5 if left out.",
          }),
        ),
        chip: Type.Optional(
          Type.String({ minLength: 1, description: "gpio: the chip; /dev/gpiochip0 if left out." }),
        ),
        lines: Type.Optional(Type.Record(Type.String(), Line)),
      },
      { default: {} },
    ),
  ),
});

export type PeripheralsConfig = Readonly<Static<typeof config>["peripherals"]>;
