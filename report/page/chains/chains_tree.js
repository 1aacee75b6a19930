/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The causes of waits as a tree of steps (chains_tree.h), and a step as a sentence. */
(function (rwalker) {
	'use strict';

	const VERBS = ['blocked', 'preempted', 'yielded', 'kept awake by a signal', 'started', 'throttled'];
	/* [text before the task and the place where it woke the sleeper, text after, whether there is a task] */
	const WORDS = {
		blocked: ['woken by ', ', which was blocked', true],
		ran: ['woken by ', ', which was running', true],
		ranOrBrief: ['woken by ', ', unknown: it ran, or its waits were shorter than -m', true],
		waitedForCpu: ['woken by ', ', which was waiting for a CPU', true],
		wasThrottled: ['woken by ', ', which was throttled by the quota of its cgroup', true],
		notBorn: ['woken by ', ', which did not exist yet', true],
		unseen: ['woken by ', ', unknown: nothing is recorded of that time', true],
		idle: ['woken by ', ', on an idle CPU', true],
		oddContext: ['woken by ', ', unknown: it, or an interrupt that came upon it', true],
		timer: ['woken by a timer', '', false],
		softirq: ['woken by softirq', '', false],
		irq: ['woken by irq', '', false],
		runQueue: ['runnable, waiting for a CPU', '', false],
		throttled: ['runnable, throttled by the quota of its cgroup', '', false],
		noWaker: ['unknown: waker not recorded', '', false],
		notEnded: ['not ended', '', false],
		cycle: ['cycle: this wait is on the way here already', '', false],
		tooDeep: ['not followed: too many hops', '', false],
		tooMuch: ['not followed: too much work', '', false],
	};

	/* For steps whose task is not a waker (wait_next.h). */
	const BEGINS = ['', 'held by ', 'its other end was used by ', 'waits for '];

	class ChainsTree {
		constructor(room) {
			this.nodes = [{step: null, parent: -1, weight: 0, children: [], count: 0}];
			this.known = new Map();
			this.room = room;
			this.tooMuch = 0;
		}

		/* The node of the step below a parent, or -1 if there is no room for it. */
		enter(parent, step) {
			const key =
				`${parent}|${step.kind}|${step.waitClass ?? ''}|${step.comm ?? ''}|` +
				`${step.wake ?? ''}|${step.at ?? ''}|${step.by ?? ''}`;
			let node = this.known.get(key);

			if (node === undefined) {
				if (step.kind !== 'tooMuch' && !this.room) return -1;
				this.room -= step.kind !== 'tooMuch';
				node =
					this.nodes.push({
						step,
						parent,
						weight: 0,
						children: [],
						count: 0,
						purposes: new Map(),
					}) - 1;
				this.nodes[parent].children.push(node);
				this.known.set(key, node);
			}
			this.nodes[node].count++;
			return node;
		}

		/* Adds what a wait of the node was for. Details are dropped if they differ between waits. */
		addPurpose(node, {text, whole}, weight) {
			const {purposes} = this.nodes[node],
				known = purposes.get(text);

			if (!known) {
				purposes.set(text, {text, whole, weight});
				return;
			}
			known.weight += weight;
			if (known.whole !== whole) known.whole = text;
		}

		add(node, weight) {
			this.nodes[node].weight += weight;
			if (this.nodes[node].step.kind === 'tooMuch') this.tooMuch += weight;
		}

		/* Sums up weights, and sorts children, heaviest first. */
		finish() {
			for (let i = this.nodes.length - 1; i > 0; i--)
				this.nodes[this.nodes[i].parent].weight += this.nodes[i].weight;
			for (const node of this.nodes)
				node.children.sort(
					(left, right) =>
						this.nodes[right].weight - this.nodes[left].weight ||
						left - right
				);
		}
	}

	/* A place is "kernel function (function of the program)", as text, so equal places have equal texts. */
	function placeText(profile, stack, withUser = true) {
		const {kernel, user} = profile.places,
			name = number => profile.functions[number - 1].name;
		const inside = kernel[stack] ? name(kernel[stack]) : '';

		if (!withUser || !user[stack]) return inside;
		return inside ? `${inside} (${name(user[stack])})` : name(user[stack]);
	}

	/* What the waits of a node were for. If several, the one with most time and its share (object_tally.h). */
	function purposesText(node) {
		const all = [...node.purposes.values()],
			known = all.filter(({text}) => text);

		if (!known.length) return '';
		known.sort(
			(left, right) => right.weight - left.weight || (left.text < right.text ? -1 : 1)
		);
		const [{whole, weight}] = known,
			others = known.length - 1;
		const total = all.reduce((sum, purpose) => sum + purpose.weight, 0);
		const share = all.length > 1 ? `, ${rwalker.percent(weight, total)} of it ` : ', ';

		return share + whole + (others ? `, and ${rwalker.plural(others, 'other')}` : '');
	}

	function inPlace(text) {
		return text ? ` in ${text}` : '';
	}

	/* `leastWait`: ns, of the recordings' -m. */
	function stepText(node, leastWait) {
		const {step} = node;

		if (step.kind === 'target')
			return `${step.comm} ${VERBS[step.waitClass]}${inPlace(step.at)}${purposesText(node)}`;
		const [begin, end, hasComm] = WORDS[step.kind];
		const brief = step.kind === 'ranOrBrief' ? ` ${Math.floor(leastWait / 1000)}` : '';

		return (
			(step.by ? BEGINS[step.by] : begin) +
			(hasComm ? step.comm : '') +
			inPlace(step.wake) +
			end +
			inPlace(step.at) +
			purposesText(node) +
			brief
		);
	}

	/* Chooses which waits are followed, and with how much work: as in the reporter's chains_targets.c. */

	const LONGEST = 1000;
	const WORK = 3000000,
		MOMENT_WORK = 3000000,
		NODES = 250000;
	const LEAST_WORK = 100,
		LEAST_NODES = 20,
		LEAST_MOMENTS = 4,
		MOST_MOMENTS = 10000,
		USUAL_HOPS = 32;

	/* A target may use its share of what is left, so an expensive one does not starve the rest. */
	function shareOf(left, targets, least) {
		return Math.min(Math.max(Math.floor(left / targets), least), left);
	}

	function followTarget(follower, left, number, comm, targets) {
		const share = {
			work: shareOf(left.work, targets, LEAST_WORK),
			momentWork: shareOf(left.momentWork, targets, LEAST_WORK),
			nodes: shareOf(left.nodes, targets, LEAST_NODES),
		};

		follower.work = share.work;
		follower.momentWork = share.momentWork;
		follower.moments = Math.min(
			Math.max(Math.floor(share.momentWork / USUAL_HOPS), LEAST_MOMENTS),
			MOST_MOMENTS
		);
		follower.tree.room = share.nodes;
		follower.divide(number, comm);
		left.work -= share.work - follower.work;
		left.momentWork -= share.momentWork - follower.momentWork;
		left.nodes -= share.nodes - follower.tree.room;
	}

	/* Divides waits into one tree. `seen` is passed to the follower. */
	function followWaits(profile, index, numbers, seen = null) {
		const tree = new rwalker.ChainsTree(0),
			follower = new rwalker.Follower(profile, index, tree, seen);
		const left = {work: WORK, momentWork: MOMENT_WORK, nodes: NODES},
			runOf = rwalker.runFinder(profile.waits);

		numbers.forEach((number, i) => {
			const {comm} = profile.tasks[runOf(number).task];

			followTarget(follower, left, number, comm, numbers.length - i);
		});
		tree.finish();
		tree.sampled = follower.sampled;
		return tree;
	}

	/* Nobody held up a sleep that a timer ended, unless it then waited for a CPU for longer than it slept. */
	function endsByTimer({wakers, waker, runQueue, length}, number) {
		return (
			waker[number] > 0 &&
			wakers.step[waker[number] - 1] === 1 &&
			runQueue[number] <= Math.floor(length[number] / 2)
		);
	}

	/* The waits that --chains follows by default: the longest ones that somebody held up. */
	function chooseTargets(profile) {
		const {waits} = profile,
			weight = new Float64Array(waits.count),
			targets = [];
		const spans = rwalker.requestedSpans(profile);

		for (const run of waits.runs) {
			const isKernel = profile.tasks[run.task].flags & rwalker.TASK.KERNEL,
				beside = isKernel ? rwalker.WAIT.BESIDE : rwalker.WAIT.UNASKED;

			rwalker.eachWaitWithin(waits, run, spans[run.recording], (number, part) => {
				const {flags} = waits.kinds[waits.kind[number]];

				weight[number] = part;
				if (
					!(flags & beside) &&
					(waits.next[number] || !(flags & rwalker.WAIT.NOT_ENDED)) &&
					!endsByTimer(waits, number)
				)
					targets.push(number);
			});
		}
		targets.sort((left, right) => weight[right] - weight[left] || left - right);
		return targets.slice(0, LONGEST);
	}

	Object.assign(rwalker, {ChainsTree, placeText, purposesText, stepText, followWaits, chooseTargets});
})((globalThis.rwalker ??= {}));
