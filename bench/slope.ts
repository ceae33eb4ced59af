/** How fast values grow from one to the next: the slope of the straight line that is nearest to them (least squares). */
export function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const together = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  return together / values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
}
