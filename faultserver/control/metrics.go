package control

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/faultsrv/faultsrv/faultserver"
)

// metrics are what /metrics shows: a registry of the server's own, so that two
// servers in a process share nothing.
type metrics struct {
	handler  http.Handler
	sessions prometheus.Gauge
	bytes    prometheus.Gauge
	created  prometheus.Counter
	ended    *prometheus.CounterVec // by why
	attempts *prometheus.CounterVec // by what happened, and whether it was intended
	requests *prometheus.HistogramVec
}

func newMetrics() *metrics {
	registry := prometheus.NewRegistry()
	m := &metrics{
		handler:  promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
		sessions: prometheus.NewGauge(prometheus.GaugeOpts{Name: "faultsrv_sessions", Help: "Sessions that are open."}),
		bytes:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "faultsrv_journal_bytes", Help: "Memory that the journals take, estimated."}),
		created:  prometheus.NewCounter(prometheus.CounterOpts{Name: "faultsrv_sessions_created_total", Help: "Sessions that were created."}),
		ended:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "faultsrv_sessions_ended_total", Help: "Sessions that ended, by why: deleted, expired or closed."}, []string{"why"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "faultsrv_attempts_total", Help: "Attempts that ended, by what happened and whether the step was met."}, []string{"happened", "met"}),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "faultsrv_control_request_seconds", Help: "Requests to the API, waits included.", Buckets: prometheus.ExponentialBuckets(0.0005, 4, 8),
		}, []string{"route", "method", "status"}),
	}
	registry.MustRegister(m.sessions, m.bytes, m.created, m.ended, m.attempts, m.requests,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (s *Server) measure(w http.ResponseWriter, r *http.Request) *problem {
	s.metrics.handler.ServeHTTP(w, r)
	return nil
}

// attempted counts an attempt that has ended. What happened is one of a closed
// list of words, so that clients cannot make new time series.
func (m *metrics) attempted(a faultserver.Attempt) {
	m.attempts.WithLabelValues(a.Happened.Kind, strconv.FormatBool(a.Met)).Inc()
}

// note is what is told of a request while it is handled.
type note struct{ route string }

type noteKey struct{}

// told is a request's note.
func told(r *http.Request) *note {
	if n, ok := r.Context().Value(noteKey{}).(*note); ok {
		return n
	}
	return &note{}
}

// count measures each request by its route, method and status.
func (m *metrics) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		n := &note{route: "none"}
		answer := &answerWriter{ResponseWriter: w, control: http.NewResponseController(w), status: http.StatusOK}
		next.ServeHTTP(answer, r.WithContext(context.WithValue(r.Context(), noteKey{}, n)))
		m.requests.WithLabelValues(n.route, methodLabel(r.Method), strconv.Itoa(answer.status)).Observe(time.Since(begun).Seconds())
	})
}

// methodLabel is a method that some route has, or "other": clients choose the word.
func methodLabel(method string) string {
	for _, one := range routes {
		if one.method == method {
			return method
		}
	}
	return "other"
}
