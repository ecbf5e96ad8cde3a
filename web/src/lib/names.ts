/** What people may call themselves: short, and never half of what a reader takes for one character. */

const MOST = 24; // characters as readers count them
const MOST_POINTS = 40; // as Unicode does: the server takes no more

export function cutName(name: string): string {
  const whole = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment);
  let kept = "";
  for (const one of whole.slice(0, MOST)) {
    if ([...kept, ...one].length > MOST_POINTS) break;
    kept += one;
  }
  return kept;
}
