/** One line of the bench: what was measured, against what it is held to. */
export interface Row {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  readonly met: boolean;
}

/** A row for a figure that must not go over its goal. */
export function atMost(what: string, measured: number, goal: number, unit: string): Row {
  return { what, goal: `<= ${goal}${unit}`, measured: `${figure(measured)}${unit}`, met: measured <= goal };
}

/** A row for a figure that must not fall below its goal. */
export function atLeast(what: string, measured: number, goal: number, unit: string): Row {
  return { what, goal: `>= ${goal}${unit}`, measured: `${figure(measured)}${unit}`, met: measured >= goal };
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
