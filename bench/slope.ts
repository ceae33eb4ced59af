/** Straight lines that are nearest to points (least squares). */

/** How fast values grow from one to the next. */
export function slopeOf(values: readonly number[]): number {
  const line = lineThrough(values.map((value, index) => [index, value] as const));
  return line(1) - line(0);
}

/** The line through points that do not all have the same x. */
export function lineThrough(points: readonly (readonly [x: number, y: number])[]): (x: number) => number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const together = mean(points.map(([x, y]) => (x - middleX) * (y - middleY)));
  const slope = together / mean(points.map(([x]) => (x - middleX) ** 2));
  return (x) => middleY + slope * (x - middleX);
}
