#!/bin/sh
# Training on 1, 2 and 4 processes that speak over a network of a limited rate and latency, beside what `longhand cost --ranks` predicts.
#
#     sh bench/cluster.sh [BITS_A_SECOND [SECONDS [TRIES]]]         2e8 200e-6 3; LH_BUILD_ROOT: where the program is
#     MODEL='layers=4 dim=192 heads=4 context=128' BATCH=64         what is trained, with 1 thread for each process
#     RANKS='1 2 4' HOW='--wire bf16'                               on how many, and with which further options
#
# Each process is in a network namespace of its own, all joined by a switch (wire.c) that hands frames over as slowly as is asked for. Needs
# root, /dev/net/tun, iproute2 and Open MPI. A step is measured as the difference of a short run and a longer one, and predicted right before;
# of each the median of the tries.
#
# `cost` takes every process to have processors of its own. Here they share them, and that is known before anything is measured: as many predictions
# are made at once as there are processes, or processors if these are fewer, so that caches and memory are shared as they will be; and
# where the processes are more than the processors, what is predicted for computing is multiplied by their ratio. An efficiency
# is that of the machine: 100 % would be the time of one process, divided by the processors in use.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
longhand=${LH_BUILD_ROOT:-$root/build}/longhand
rate=${1:-2e8} latency=${2:-200e-6} tries=${3:-3}
model=${MODEL:-layers=4 dim=192 heads=4 context=128} batch=${BATCH:-64}
cores=$(nproc)
short=2 long=${LONG:-10}
work=$(mktemp -d)
name=lh-$$ # of the namespaces: what runs in them is this run's own
spaces="$name-a $name-b $name-c $name-d"

# signal SIGNAL: to all that was started in the namespaces, mpirun and its daemons among them
signal() {
    for s in $spaces; do ip netns pids "$s" 2>/dev/null || true; done | sort -u | xargs -r kill -s "$1" 2>/dev/null || true
}

stop() {
    trap '' INT TERM HUP
    signal TERM
    for _ in 1 2 3 4 5; do test -z "$(for s in $spaces; do ip netns pids "$s" 2>/dev/null || true; done)" || sleep 1; done
    signal KILL
    test -z "${wire:-}" || kill "$wire" 2>/dev/null || true
    for s in $spaces; do ip netns del "$s" 2>/dev/null || true; done
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' INT TERM HUP

# The network. Its switch comes before all else: it stands for a machine of its own.
cc -O2 -o "$work/wire" "$root/bench/wire.c"
for s in $spaces; do ip netns add "$s"; done
# shellcheck disable=SC2086  # several words
chrt -f 10 "$work/wire" "$rate" "$latency" $spaces &
wire=$!
sleep 1
i=0
for s in $spaces; do
    i=$((i + 1))
    ip -n "$s" link set lo up
    ip -n "$s" addr add 10.77.0.$i/24 dev wire0
    ip -n "$s" link set wire0 mtu 9000 txqueuelen 200 up
    # 64 kB on their way are six times what this network holds, and short enough that nothing is lost where three send to one.
    ip netns exec "$s" sysctl -qw net.ipv4.tcp_wmem='4096 65536 65536'
    echo "10.77.0.$i slots=1" >>"$work/hosts"
done

# What mpirun starts its daemons by, in place of ssh: agent ADDRESS COMMAND...
cat >"$work/agent" <<END
#!/bin/sh
case \$1 in *.1) s=a ;; *.2) s=b ;; *.3) s=c ;; *) s=d ;; esac
shift
exec ip netns exec $name-\$s unshare --uts sh -c "hostname lh-\$s; \$*"
END
chmod +x "$work/agent"
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=10.77.0.0/24 OMPI_MCA_oob_tcp_if_include=10.77.0.0/24
OMPI_MCA_plm_rsh_agent=$work/agent
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_mpi_yield_when_idle
export OMPI_MCA_btl OMPI_MCA_btl_tcp_if_include OMPI_MCA_oob_tcp_if_include OMPI_MCA_plm_rsh_agent
yes 'The cat sat on the mat, and the dog saw the birds.' | head -n 2000 >"$work/text"

# seconds RANKS STEPS: of a whole run, by the clock. In the background, since a shell that waits for it in the foreground hears no signal.
seconds() {
    rm -rf "$work/out"
    start=$(date +%s%N)
    # shellcheck disable=SC2086  # several words
    ip netns exec "$name-a" unshare --uts sh -c 'hostname lh-a; exec "$@"' sh \
        mpirun -np "$1" --hostfile "$work/hosts" --bind-to none "$longhand" train gpt --data "$work/text" --set $model \
        --batch "$batch" --threads 1 --steps "$2" --every 1000 ${HOW:-} -o "$work/out" 2>"$work/err" </dev/null >"$work/said" &
    wait $! || { cat "$work/err" >&2 && exit 1; }
    seconds=$(echo "$start $(date +%s%N)" | awk '{ print ($2 - $1) / 1e9 }')
}

# predict_one RANKS: seconds of computing, of communication, and of one process alone.
predict_one() {
    # shellcheck disable=SC2086  # several words
    "$longhand" cost gpt --set $model "tokens=${model##*context=}" vocab=24 --batch "$batch" --threads 1 --ranks "$1" \
        --network "$(echo "$rate" | awk '{ print $1 / 1e6 }')Mb" --latency "$(echo "$latency" | awk '{ print $1 * 1e6 }')us" ${HOW:-} --json |
        sed -n '/"ranks"/,$p' | awk -F'[:,]' '
            /"compute"/ { compute = $2 } /"communication"/ { communication = $2 } /"alone"/ { alone = $2 }
            END { print compute, communication, alone }'
}

# predicted RANKS: seconds of a step; of computing; of communication.
predicted() {
    copies=$(echo "$1 $cores" | awk '{ print $1 < $2 ? $1 : $2 }')
    i=0 jobs=
    while test $i -lt "$copies"; do
        i=$((i + 1))
        predict_one "$1" >"$work/cost.$i" &
        jobs="$jobs $!"
    done
    for job in $jobs; do wait "$job"; done
    cat "$work"/cost.* | awk -v n="$1" -v cores="$cores" '
        { compute += $1; communication += $2 }
        END { busy = n > cores ? n / cores : 1; c = busy * compute / NR; w = communication / NR; print c + w, c, w }'
    rm -f "$work"/cost.*
}

# median COLUMN: of the tries
median() {
    awk -v k="$1" '{ print $k }' "$work/tries" | sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}

printf '%s, a batch of %s, %s Mb/s, %s us%s, %s processors\n' "$model" "$batch" "$(echo "$rate" | awk '{ print $1 / 1e6 }')" \
    "$(echo "$latency" | awk '{ print $1 * 1e6 }')" "${HOW:+, $HOW}" "$cores"
printf '%10s  %9s  %10s  %6s  %22s  %11s  %10s\n' processes seconds predicted ratio 'computing and network' efficiency predicted
for n in ${RANKS:-1 2 4}; do
    try=0
    : >"$work/tries"
    while test $try -lt "$tries"; do
        try=$((try + 1))
        p=$(predicted "$n")
        seconds "$n" $short && a=$seconds
        seconds "$n" "$long" && b=$seconds
        echo "$a $b $p" | awk -v s=$short -v l="$long" '{ print ($2 - $1) / (l - s), $3, $4, $5 }' >>"$work/tries"
    done
    test "$n" -gt 1 || alone=$(median 1) said_alone=$(median 2)
    echo "$(median 1) $(median 2) $(median 3) $(median 4) ${alone:-0} ${said_alone:-0}" | awk -v n="$n" -v cores="$cores" '{
        on = n < cores ? n : cores
        printf "%10d  %9.3f  %10.3f  %6.2f  %10.3f + %9.3f  %10.0f%%  %9.0f%%\n", n, $1, $2, $1 / $2, $3, $4, 100 * $5 / $1 / on, 100 * $6 / $2 / on }'
done
